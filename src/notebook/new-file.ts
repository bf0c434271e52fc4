import { closeSync, existsSync, linkSync, lstatSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { errorCode, type NuthatchError } from "../errors.ts";
import { isFolder } from "../paths.ts";
import { syncFolder, writePieces } from "./file-writing.ts";
import { notebookExists, writeFailed } from "./notebook-errors.ts";
import { describeFailure } from "./replace-file.ts";
import { temporaryPath } from "./temporary-files.ts";

/** Throws what making a file at the path would throw, as far as that can be known before: see {@link createFile}. */
export function checkNew(path: string, shown: string): void {
  if (!isFolder(dirname(path))) throw noFolder(shown);
  if (isTaken(path, shown)) throw notebookExists(shown);
}

function isTaken(path: string, shown: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    throw writeFailed(shown, describeFailure(error), undefined, error);
  }
}

/** Makes a new file with its whole content at once, or throws `notebook_exists` or `write_failed` and leaves nothing. */
export async function createFile(path: string, shown: string, bytes: Buffer): Promise<void> {
  const temporary = temporaryPath(path);
  try {
    const descriptor = openSync(temporary, "wx", 0o666);
    try {
      await writePieces(descriptor, [bytes]);
    } finally {
      closeSync(descriptor);
    }
    takeName(temporary, path);
    syncFolder(dirname(path));
  } catch (error) {
    if (existsSync(temporary)) rmSync(temporary, { force: true });
    if (errorCode(error) === "EEXIST") throw notebookExists(shown);
    if (errorCode(error) === "ENOENT" || !isFolder(dirname(path))) throw noFolder(shown, error);
    throw writeFailed(shown, describeFailure(error), undefined, error);
  }
}

function noFolder(shown: string, cause?: unknown): NuthatchError {
  return writeFailed(shown, "its folder does not exist", "make the folder first", cause);
}

/** A link never replaces a file; where there are no links, only a look before the renaming is left. */
function takeName(temporary: string, path: string): void {
  try {
    linkSync(temporary, path);
    rmSync(temporary);
  } catch (error) {
    const hasNoLinks = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"].includes(errorCode(error) ?? "");
    if (!hasNoLinks || existsSync(path)) throw error;
    renameSync(temporary, path);
  }
}
