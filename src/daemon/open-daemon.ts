import { errorCode } from "../errors.ts";
import { logLine } from "../log.ts";
import { ensurePrivateDirectory, isPrivateDirectory } from "../paths.ts";
import { VERSION } from "../version.ts";
import { compareBuilds, ownBuild } from "./build.ts";
import { DaemonConnection } from "./connection.ts";
import { type DaemonFiles, daemonFiles } from "./daemon-files.ts";
import { daemonOfOtherBuild, daemonStartFailed } from "./errors.ts";
import type { DaemonStart } from "./start-daemon.ts";
import type { HandedOver, Hello } from "./wire.ts";

/** How long to wait for a daemon that another client starts, or that is ending, in milliseconds. */
const WAIT_LIMIT = 20_000;
const POLL_MILLISECONDS = 4;

/**
 * Connects to this user's daemon, whatever its version; undefined where there is none. Nothing is sent to a socket in a folder
 * of somebody else: that is `unsafe_directory`. `patience` is how many seconds it may take to greet.
 */
export async function findDaemon(runtime: string, patience?: number): Promise<DaemonConnection | undefined> {
  if (!isPrivateDirectory(runtime)) return undefined;
  try {
    return await DaemonConnection.open(daemonFiles(runtime).socket, patience);
  } catch (error) {
    if (errorCode(error) === "daemon_gone") return undefined;
    throw error;
  }
}

/**
 * Connects to this user's daemon of this build, and starts one where there is none; of any number of clients exactly one does.
 * An older daemon is asked to hand over. Throws `daemon_start_failed`, `daemon_unresponsive`, `daemon_version` where the
 * daemon is newer, and `unsafe_directory`.
 */
export async function openDaemon(start: DaemonStart): Promise<DaemonConnection> {
  const files = daemonFiles(start.directories.runtime);
  const end = performance.now() + WAIT_LIMIT;
  for (;;) {
    const connection = await findDaemon(start.directories.runtime);
    if (connection === undefined) await startOrWait(start, files, end);
    else if (await fits(connection)) return connection;
  }
}

async function startOrWait(start: DaemonStart, files: DaemonFiles, end: number): Promise<void> {
  ensurePrivateDirectory(start.directories.runtime);
  const { tryLockFile } = await import("./lock-file.ts");
  const lock = tryLockFile(files.lock);
  if (lock !== undefined) {
    const { startDaemon } = await import("./start-daemon.ts");
    await startDaemon(start, lock);
  } else if (performance.now() > end) {
    throw daemonStartFailed(`another process has held ${files.lock} for ${WAIT_LIMIT / 1000} seconds`);
  } else {
    await Bun.sleep(POLL_MILLISECONDS);
  }
}

/** Closes the connection and throws `daemon_version` unless the daemon is of this build. */
export function requireSameBuild(connection: DaemonConnection): void {
  const order = compareBuilds(ownBuild(), connection.hello);
  if (order === "same") return;
  connection.close();
  throw daemonOfOtherBuild(connection.hello, order);
}

/** Whether the daemon is of this build; an older one is sent away, a newer one is an error. */
async function fits(connection: DaemonConnection): Promise<boolean> {
  const order = compareBuilds(ownBuild(), connection.hello);
  if (order === "older") requireSameBuild(connection);
  if (order === "same") return true;
  try {
    const left = (await connection.request("handOver", {})) as HandedOver;
    logLine(describeHandOver(connection.hello, left));
  } catch (error) {
    if (errorCode(error) !== "daemon_gone" && errorCode(error) !== "daemon_died") throw error;
  } finally {
    connection.close();
  }
  return false;
}

function describeHandOver(daemon: Hello, { calls, sessions, runs }: HandedOver): string {
  const replaced = daemon.version === VERSION ? "of the binary before this one" : `nuthatch ${daemon.version}`;
  const ended = sessions === 0 ? "" : `; its ${sessions === 1 ? "session ends" : `${sessions} sessions end`}`;
  const busy = calls + runs === 0 ? "" : `; the ${calls + runs} calls and runs under way there are finished first`;
  return `the daemon ${replaced} (pid ${daemon.pid}) makes way for nuthatch ${VERSION}${ended}${busy}`;
}
