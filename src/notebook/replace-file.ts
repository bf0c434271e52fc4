import { closeSync, fchmodSync, fchownSync, fstatSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { errorCode, errorMessage } from "../errors.ts";
import { copyAttributes } from "./extended-attributes.ts";
import { syncFolder, writePieces, writeUnsynced } from "./file-writing.ts";
import { isUnchanged, type LockedFile } from "./locked-file.ts";
import { writeFailed } from "./notebook-errors.ts";
import { removeLeftovers, temporaryPath, unlessRefused } from "./temporary-files.ts";
import { writeInPlace } from "./write-in-place.ts";

/** What a try to put a new file in the place of the old one came to. */
type Outcome = "replaced" | "changed" | "impossible";

/**
 * Puts new content in the place of a locked file's `old`: all of it or, on any error, none. Mode, owner, attributes and hard
 * links stay. Returns false, with nothing written, if somebody who takes no lock has changed the file since it was read.
 * Unless it is to `sync`, the new file may reach the disk later, whole all the same to every program.
 */
export async function replaceFile(
  file: LockedFile,
  old: Buffer,
  pieces: readonly Buffer[],
  sync = true,
): Promise<boolean> {
  try {
    removeLeftovers(file.path);
    const outcome = file.stat.nlink > 1n ? "impossible" : await putNewFile(file, pieces, sync);
    if (outcome !== "impossible") return outcome === "replaced";
    if (!isUnchanged(file)) return false;
    await writeInPlace(file, old, pieces);
    return true;
  } catch (error) {
    if (errorCode(error) === "write_failed") throw error;
    throw writeFailed(file.shown, describeFailure(error), undefined, error);
  }
}

async function putNewFile(file: LockedFile, pieces: readonly Buffer[], sync: boolean): Promise<Outcome> {
  const temporary = temporaryPath(file.path);
  const descriptor = unlessRefused(() => openSync(temporary, "wx", 0o600));
  if (descriptor === undefined) return "impossible";
  let renamed = false;
  try {
    if (!takeAfter(file, descriptor)) return "impossible";
    await (sync ? writePieces : writeUnsynced)(descriptor, pieces);
    if (!isUnchanged(file)) return "changed";
    renamed = unlessRefused(() => renameSync(temporary, file.path) ?? true) ?? false;
    if (!renamed) return "impossible";
    if (sync) syncFolder(dirname(file.path));
    return "replaced";
  } finally {
    closeSync(descriptor);
    if (!renamed) rmSync(temporary, { force: true });
  }
}

/** Gives the new file the owner, the mode and the attributes of the old one; false if the system does not allow it. */
function takeAfter(file: LockedFile, descriptor: number): boolean {
  const { uid, gid, mode } = file.stat;
  const own = fstatSync(descriptor, { bigint: true });
  const isOwned =
    (own.uid === uid && own.gid === gid) ||
    unlessRefused(() => fchownSync(descriptor, Number(uid), Number(gid)) ?? true) === true;
  if (!isOwned) return false;
  if (!copyAttributes(file.descriptor, descriptor)) return false;
  fchmodSync(descriptor, Number(mode & 0o7777n));
  return true;
}

/** What a file system's refusal means, in words. */
export function describeFailure(error: unknown): string {
  const reasons: Record<string, string> = {
    ENOSPC: "no space is left on the device",
    EDQUOT: "the disk quota is used up",
    EFBIG: "it would be larger than a file may be here",
    EROFS: "the file system is read-only",
    EACCES: "permission denied",
    EPERM: "not permitted",
  };
  return reasons[errorCode(error) ?? ""] ?? errorMessage(error);
}
