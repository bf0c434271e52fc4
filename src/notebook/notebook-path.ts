import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { errorCode } from "../errors.ts";
import { notebookNotFound, readFailed } from "./notebook-errors.ts";

const MOST_LINKS = 40;

/**
 * The file that a path names, symbolic links followed. Not by `realpath` on the file itself: in Bun that opens it, and fails
 * when another writer puts a new file in its place just then.
 */
export function resolveNotebookPath(path: string, cwd: string): string {
  let full = resolve(cwd, path);
  try {
    for (let links = 0; links < MOST_LINKS && lstatSync(full).isSymbolicLink(); links++) {
      full = resolve(dirname(full), readlinkSync(full));
    }
    return join(realpathSync(dirname(full)), basename(full));
  } catch (error) {
    const isMissing = ["ENOENT", "ENOTDIR", "ENAMETOOLONG"].includes(errorCode(error) ?? "");
    throw isMissing ? notebookNotFound(path) : readFailed(path, error);
  }
}

/** The same, and the path as it is where no file can be found there. */
export function realNotebookPath(path: string, cwd: string): string {
  try {
    return resolveNotebookPath(path, cwd);
  } catch {
    return resolve(cwd, path);
  }
}
