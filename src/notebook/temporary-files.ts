import { readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { errorCode } from "../errors.ts";

/** A new name beside a file, for what is still being written; `removeLeftovers` knows it by its beginning. */
export function temporaryPath(path: string): string {
  return join(dirname(path), `${temporaryPrefix(path)}${crypto.randomUUID()}.tmp`);
}

/** Removes what writers of this file that were killed have left. Only for who holds its lock: then nobody else writes. */
export function removeLeftovers(path: string): void {
  const folder = dirname(path);
  const prefix = temporaryPrefix(path);
  for (const name of unlessRefused(() => readdirSync(folder)) ?? []) {
    if (name.startsWith(prefix)) unlessRefused(() => rmSync(join(folder, name), { force: true }));
  }
}

/** Undefined where the system refuses: no permission, or a file that is mounted by itself. */
export function unlessRefused<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch (error) {
    if (["EACCES", "EPERM", "EROFS", "EBUSY", "EXDEV"].includes(errorCode(error) ?? "")) return undefined;
    throw error;
  }
}

function temporaryPrefix(path: string): string {
  return `.nuthatch-${Bun.hash(basename(path)).toString(36)}-`;
}
