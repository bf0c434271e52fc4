import { closeSync, fchmodSync, fchownSync, openSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { errorCode, errorMessage } from "../errors.ts";
import { syncFolder, writePieces } from "./file-writing.ts";
import { isUnchanged, type LockedFile } from "./locked-file.ts";
import { writeFailed } from "./notebook-errors.ts";

/**
 * Puts new content in the place of a locked file: all of it or, on any error, none. Mode and owner stay. Returns false, with
 * nothing written, when somebody who takes no lock has changed the file since it was read.
 */
export async function replaceFile(file: LockedFile, pieces: readonly Buffer[]): Promise<boolean> {
  const folder = dirname(file.path);
  const temporary = join(folder, `${temporaryPrefix(file.path)}${crypto.randomUUID()}.tmp`);
  let descriptor: number | undefined;
  try {
    removeLeftovers(file.path);
    descriptor = openSync(temporary, "wx", 0o600);
    if (file.stat.uid !== BigInt(process.getuid?.() ?? 0) || file.stat.gid !== BigInt(process.getgid?.() ?? 0)) {
      fchownSync(descriptor, Number(file.stat.uid), Number(file.stat.gid));
    }
    fchmodSync(descriptor, Number(file.stat.mode & 0o7777n));
    await writePieces(descriptor, pieces);
    if (!isUnchanged(file)) return false;
    renameSync(temporary, file.path);
    syncFolder(folder);
    return true;
  } catch (error) {
    throw writeFailed(file.path, describeFailure(error), undefined, error);
  } finally {
    if (descriptor !== undefined) {
      closeSync(descriptor);
      rmSync(temporary, { force: true });
    }
  }
}

/** Removes what writers of this file that were killed have left; nobody else writes while we hold the lock. */
function removeLeftovers(path: string): void {
  const folder = dirname(path);
  const prefix = temporaryPrefix(path);
  for (const name of readdirSync(folder)) {
    if (name.startsWith(prefix)) rmSync(join(folder, name), { force: true });
  }
}

function temporaryPrefix(path: string): string {
  return `.nuthatch-${Bun.hash(basename(path)).toString(36)}-`;
}

function describeFailure(error: unknown): string {
  const reasons: Record<string, string> = {
    ENOSPC: "no space left on the device",
    EDQUOT: "the disk quota is used up",
    EFBIG: "the file would be larger than this process may write",
    EROFS: "the file system is read-only",
    EACCES: "permission denied",
    EPERM: "not permitted",
  };
  return reasons[errorCode(error) ?? ""] ?? errorMessage(error);
}
