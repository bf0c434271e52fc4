import { accessSync, chmodSync, constants, existsSync, lstatSync, mkdirSync, statSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { errorCode, NuthatchError } from "./errors.ts";

/** Nuthatch's own directories of this user: configuration, state that is kept, and sockets and files of running processes. */
export interface Directories {
  config: string;
  state: string;
  runtime: string;
}

/** What helps where one of them cannot be made or written. */
export const DIRECTORY_HINT = "set NUTHATCH_HOME to a folder of your own";

/** A Unix socket's path may hold 107 bytes; the runtime folder leaves room for the names below it. */
const LONGEST_RUNTIME_PATH = 70;

/** Finds the directories by `NUTHATCH_HOME`, else by the XDG base directory specification. Creates nothing. */
export function findDirectories(environment: NodeJS.ProcessEnv = process.env): Directories {
  if (environment.NUTHATCH_HOME) {
    const home = resolve(environment.NUTHATCH_HOME);
    return { config: join(home, "config"), state: join(home, "state"), runtime: shortRuntime(join(home, "runtime")) };
  }
  const base = environment.HOME || homedir();
  const runtime = environment.XDG_RUNTIME_DIR;
  const hasRuntime = runtime !== undefined && runtime !== "" && existsSync(runtime);
  return {
    config: join(environment.XDG_CONFIG_HOME || join(base, ".config"), "nuthatch"),
    state: join(environment.XDG_STATE_HOME || join(base, ".local", "state"), "nuthatch"),
    runtime: shortRuntime(hasRuntime ? join(runtime, "nuthatch") : undefined),
  };
}

/** Whether there is a folder that can be reached; a path through a file, or one that is too long, leads to none. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Makes a directory for this user alone (0700) and refuses one that belongs to somebody else. */
export function ensurePrivateDirectory(path: string): string {
  // Where nothing was made somebody else came first.
  if (!isPrivateDirectory(path) && mkdirSync(path, { recursive: true, mode: 0o700 }) === undefined) {
    isPrivateDirectory(path);
  }
  return path;
}

/** False where the directory is not there. Takes everybody else's access away, and throws `unsafe_directory` if it is not ours. */
export function isPrivateDirectory(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return false;
  const user = process.getuid?.();
  if (!found.isDirectory() || (user !== undefined && found.uid !== user)) {
    throw new NuthatchError({
      code: "unsafe_directory",
      message: `${path} is not a directory of this user`,
      hint: `remove it, or ${DIRECTORY_HINT}`,
    });
  }
  if (user !== undefined && (found.mode & 0o077) !== 0) chmodSync(path, 0o700);
  return true;
}

/**
 * The directories as this process can use them: where the runtime or the state directory cannot be made or written, a folder
 * of this user under the system's temporary one stands in. Throws `unsafe_directory`.
 */
export function ensureUsableDirectories(directories: Directories): Directories {
  const { config, state, runtime } = directories;
  return { config, state: usableDirectory(state), runtime: usableDirectory(runtime) };
}

function usableDirectory(path: string): string {
  try {
    accessSync(ensurePrivateDirectory(path), constants.W_OK | constants.X_OK);
    return path;
  } catch (error) {
    if (errorCode(error) === "unsafe_directory") throw error;
    return ensurePrivateDirectory(temporaryDirectory(path));
  }
}

function shortRuntime(wanted: string | undefined): string {
  if (wanted && Buffer.byteLength(wanted) <= LONGEST_RUNTIME_PATH) return wanted;
  return temporaryDirectory(wanted);
}

/** A name for this user under the system's temporary folder, another for each directory that it stands in for. */
function temporaryDirectory(wanted: string | undefined): string {
  const user = process.getuid?.() ?? "user";
  const suffix = wanted ? `-${Bun.hash(wanted).toString(36).slice(0, 8)}` : "";
  return join(tmpdir(), `nuthatch-${user}${suffix}`);
}
