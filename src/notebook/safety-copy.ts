// A safety copy is whole from the moment its name exists. It is removed by the writer that made it, after its success, or by
// the next one, which restores the notebook from it first if the writing was cut short.
import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { errorCode } from "../errors.ts";
import { ensurePrivateDirectory, findDirectories } from "../paths.ts";
import { overwrite, syncFolder, writePieces } from "./file-writing.ts";
import { removeLeftovers, temporaryPath } from "./temporary-files.ts";

/** Saves a notebook's bytes beside it, or in this user's state folder if its own takes no new file. Returns the path. */
export async function makeSafetyCopy(path: string, bytes: Buffer): Promise<string> {
  const [beside, inState] = safetyCopyPaths(path) as [string, string];
  try {
    return await saveBytes(beside, temporaryPath(path), bytes);
  } catch (error) {
    if (!["EACCES", "EPERM", "EROFS"].includes(errorCode(error) ?? "")) throw error;
    ensurePrivateDirectory(findDirectories().state);
    ensurePrivateDirectory(dirname(inState));
    removeLeftovers(inState);
    return await saveBytes(inState, temporaryPath(inState), bytes);
  }
}

/** The safety copy that a writer of this notebook has left behind, if one has. */
export function findSafetyCopy(path: string): string | undefined {
  return safetyCopyPaths(path).find((candidate) => existsSync(candidate));
}

/**
 * Brings the bytes of a notebook whose writing was cut short back from the safety copy, and removes the copy. `bytes` is what
 * the file holds; half a writing begins with a NUL. Only under the file's lock.
 */
export async function restoreSafetyCopy(copy: string, descriptor: number, bytes: Buffer): Promise<void> {
  if (bytes[0] === 0) await overwrite(descriptor, bytes.length, [readFileSync(copy)]);
  rmSync(copy, { force: true });
}

function safetyCopyPaths(path: string): string[] {
  const name = `.nuthatch-${Bun.hash(basename(path)).toString(36)}.save`;
  const full = `${Bun.hash(path).toString(36)}.ipynb`;
  return [join(dirname(path), name), join(findDirectories().state, "safety-copies", full)];
}

async function saveBytes(path: string, draft: string, bytes: Buffer): Promise<string> {
  const descriptor = openSync(draft, "wx", 0o600);
  try {
    await writePieces(descriptor, [bytes]);
    renameSync(draft, path);
    syncFolder(dirname(path));
    return path;
  } finally {
    closeSync(descriptor);
    rmSync(draft, { force: true });
  }
}
