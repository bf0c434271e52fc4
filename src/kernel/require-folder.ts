import { isFolder } from "../paths.ts";
import { workingDirectoryMissing } from "./errors.ts";

/** Throws `cwd_not_found` unless the folder that a process is to start in is there. */
export function requireFolder(path: string): void {
  if (!isFolder(path)) throw workingDirectoryMissing(path);
}
