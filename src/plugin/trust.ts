import { existsSync, readFileSync, realpathSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { errorCode, errorMessage, NuthatchError, orCannotWrite } from "../errors.ts";
import { DIRECTORY_HINT, ensurePrivateDirectory } from "../paths.ts";

const FILE = "trusted-projects.json";

/** The folders whose `.nuthatch/plugins` and `.nuthatch/modules` this user lets run, as real paths. */
export function listTrusted(stateDirectory: string): string[] {
  const path = join(stateDirectory, FILE);
  if (!existsSync(path)) return [];
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    return Array.isArray(value) ? value.filter((path) => typeof path === "string") : [];
  } catch {
    return [];
  }
}

/**
 * Trusts a folder, or no longer does; returns its real path. A folder that is gone is given up by the path that the list has.
 * Throws `invalid_input` when it is no folder, and `write_failed`.
 */
export function setTrust(stateDirectory: string, folder: string, trusted: boolean): string {
  const known = listTrusted(stateDirectory);
  const path = !trusted && known.includes(folder) ? folder : realFolder(folder);
  const others = known.filter((other) => other !== path);
  const file = join(stateDirectory, FILE);
  orCannotWrite(file, DIRECTORY_HINT, () => {
    ensurePrivateDirectory(stateDirectory);
    const part = `${file}.${process.pid}.part`;
    writeFileSync(part, `${JSON.stringify(trusted ? [...others, path] : others, null, 1)}\n`, { mode: 0o600 });
    renameSync(part, file);
  });
  return path;
}

/** The nearest folder above `cwd`, or itself, that is trusted. */
export function findTrustedProject(stateDirectory: string, cwd: string): string | undefined {
  const trusted = new Set(listTrusted(stateDirectory));
  if (trusted.size === 0) return undefined;
  return foldersAbove(cwd).find((folder) => trusted.has(folder));
}

/** The nearest folder above `cwd`, or itself, whose plugins or modules are not loaded because it is not trusted. */
export function findUntrustedProject(stateDirectory: string, cwd: string): string | undefined {
  if (findTrustedProject(stateDirectory, cwd) !== undefined) return undefined;
  const parts = ["plugins", "modules"];
  return foldersAbove(cwd).find((folder) => parts.some((part) => existsSync(join(folder, ".nuthatch", part))));
}

/** The real path of a folder and of all above it; none where it is not there. */
function foldersAbove(cwd: string): string[] {
  const folders: string[] = [];
  try {
    for (let next = realpathSync(cwd); next !== folders.at(-1); next = dirname(next)) folders.push(next);
  } catch {}
  return folders;
}

function realFolder(folder: string): string {
  try {
    const path = realpathSync(folder);
    if (statSync(path).isDirectory()) return path;
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw notAFolder(folder, errorMessage(error));
  }
  throw notAFolder(folder, "there is no such folder");
}

function notAFolder(folder: string, reason: string): NuthatchError {
  return new NuthatchError({
    code: "invalid_input",
    message: `cannot trust ${folder}: ${reason}`,
    data: { parameter: "dir" },
  });
}
