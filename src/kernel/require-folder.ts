import { statSync } from "node:fs";
import { workingDirectoryMissing } from "./errors.ts";

/** Throws `cwd_not_found` unless the folder that a process is to start in is there. */
export function requireFolder(path: string): void {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw workingDirectoryMissing(path);
}
