import { closeSync, openSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { type ErrorFields, errorMessage } from "../errors.ts";
import { type Directories, ensurePrivateDirectory } from "../paths.ts";
import type { Settings } from "../settings.ts";
import { daemonStartFailed } from "./errors.ts";
import type { FileLock } from "./lock-file.ts";

/** What a daemon is started with. */
export interface DaemonStart {
  directories: Directories;
  /** Its own settings; each call brings those of its client. */
  settings: Settings;
  environment: Record<string, string | undefined>;
  /** Program and words that run the daemon; by default this binary's hidden command `daemon`. */
  command?: string[];
}

/** What the daemon writes to its standard output, once, as a line. */
export type Readiness = { ready: true } | { error: ErrorFields };

/** How long a daemon may take until it listens, in milliseconds; some milliseconds are usual. */
const START_LIMIT = 10_000;
/** The log starts anew above this size, in bytes. */
const LOG_LIMIT = 2 ** 20;

/**
 * Starts a daemon and returns when it listens. `lock` goes over to it. It gets a session of its own, so that it survives the
 * terminal, and no stream of this process. Throws `daemon_start_failed`.
 */
export async function startDaemon(start: DaemonStart, lock: FileLock): Promise<void> {
  const log = openLog(start.directories.state);
  const child = spawnDaemon(start, lock, log);
  if (log !== undefined) closeSync(log);
  child.unref();
  const timer = setTimeout(() => child.kill("SIGKILL"), START_LIMIT);
  try {
    const line = await readLine(child.stdout);
    if (line === "") throw daemonStartFailed(`its process ended at once (${await describeEnd(child)})`);
    const readiness = JSON.parse(line) as Readiness;
    if ("error" in readiness) throw daemonStartFailed(readiness.error.message);
  } finally {
    clearTimeout(timer);
  }
}

function spawnDaemon(start: DaemonStart, lock: FileLock, log: number | undefined) {
  try {
    return Bun.spawn(start.command ?? [...ownCommand(), "daemon"], {
      cwd: "/",
      env: daemonEnvironment(start.environment),
      detached: true,
      stdio: [Buffer.from(JSON.stringify(start.settings)), "pipe", log ?? "ignore", lock.descriptor],
    });
  } catch (error) {
    lock.release();
    throw daemonStartFailed(errorMessage(error));
  } finally {
    lock.handOver();
  }
}

/** In the compiled binary the program is the executable itself, else Bun with the entry file. */
function ownCommand(): string[] {
  return Bun.main.startsWith("/$bunfs/") ? [process.execPath] : [process.execPath, Bun.main];
}

/** The client's environment but for what would change the runtime, and with no path that depends on its folder. */
function daemonEnvironment(environment: Record<string, string | undefined>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && !name.startsWith("BUN_")) kept[name] = value;
  }
  if (kept.NUTHATCH_HOME) kept.NUTHATCH_HOME = resolve(kept.NUTHATCH_HOME);
  return kept;
}

/** The log takes what the daemon writes to standard error. A full or read-only disk is no reason to start none. */
function openLog(state: string): number | undefined {
  try {
    const path = join(ensurePrivateDirectory(state), "daemon.log");
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    return openSync(path, size > LOG_LIMIT ? "w" : "a", 0o600);
  } catch {
    return undefined;
  }
}

async function readLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of stream) {
    text += new TextDecoder().decode(chunk);
    const end = text.indexOf("\n");
    if (end >= 0) return text.slice(0, end);
  }
  return "";
}

async function describeEnd(child: { exited: Promise<number>; signalCode: unknown }): Promise<string> {
  const code = await child.exited;
  return child.signalCode === null ? `exit status ${code}` : `signal ${child.signalCode}`;
}
