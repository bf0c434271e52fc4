import { existsSync, readFileSync } from "node:fs";
import { errorCode } from "../errors.ts";
import type { DaemonConnection } from "./connection.ts";
import { type DaemonFiles, daemonFiles, readGatewayEntry, removeDaemonFiles } from "./daemon-files.ts";
import { daemonSilent } from "./errors.ts";
import { tryLockFile } from "./lock-file.ts";
import { findDaemon } from "./open-daemon.ts";

/** How the daemon ended; undefined where there was none. One that did not answer is killed, and its kernels follow it. */
export type StopOutcome = { pid: number; how: "stopped" | "killed" } | undefined;

/** How long a daemon may take to greet before it counts as stuck, in seconds. */
const PATIENCE = 5;
/** How long an orderly end may take, in milliseconds: calls are cancelled, then kernels shut down. */
const STOP_LIMIT = 15_000;
const POLL_MILLISECONDS = 2;

/** Ends this user's daemon and returns when its process and its kernels are gone. */
export async function stopDaemon(runtime: string): Promise<StopOutcome> {
  const files = daemonFiles(runtime);
  for (const end = performance.now() + STOP_LIMIT; ; ) {
    try {
      const connection = await findDaemon(runtime, PATIENCE);
      if (connection !== undefined) return await askToStop(connection, files);
    } catch (error) {
      if (errorCode(error) !== "daemon_unresponsive") throw error;
      return await killDaemon(files);
    }
    if (removeLeftovers(files)) return undefined;
    if (performance.now() > end) throw daemonSilent(STOP_LIMIT / 1000);
    await Bun.sleep(POLL_MILLISECONDS); // one is starting, or ending
  }
}

async function askToStop(connection: DaemonConnection, files: DaemonFiles): Promise<StopOutcome> {
  const { pid } = connection.hello;
  const stopped = connection.request("stop", {}).then(
    () => connection.end,
    () => undefined,
  );
  const inTime = await Promise.race([stopped.then(() => true), Bun.sleep(STOP_LIMIT).then(() => false)]);
  connection.close();
  if (!inTime) return await killDaemon(files);
  await waitForExit(pid);
  return { pid, how: "stopped" };
}

/** Whoever listens at the socket has written `gateway.json`, so its pid is the one that does not answer. */
async function killDaemon(files: DaemonFiles): Promise<StopOutcome> {
  const pid = readGatewayEntry(files)?.pid;
  if (pid === undefined) throw daemonSilent(PATIENCE);
  process.kill(pid, "SIGKILL");
  await waitForExit(pid);
  removeLeftovers(files);
  return { pid, how: "killed" };
}

/** Removes what a killed daemon left; false while somebody holds the lock. */
function removeLeftovers(files: DaemonFiles): boolean {
  if (![files.lock, files.socket, files.gatewayEntry].some((path) => existsSync(path))) return true;
  const lock = tryLockFile(files.lock);
  if (lock === undefined) return false;
  removeDaemonFiles(files);
  lock.release();
  return true;
}

async function waitForExit(pid: number): Promise<void> {
  for (const end = performance.now() + STOP_LIMIT; isRunning(pid) && performance.now() < end; ) {
    await Bun.sleep(POLL_MILLISECONDS);
  }
}

/** A process that has ended but was not waited for by its parent (a zombie) does not run. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^\d+ \(.*\) [ZX] /s.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch (error) {
    return errorCode(error) === "ENOENT" && process.platform !== "linux";
  }
}
