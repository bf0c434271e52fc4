import { writeSync } from "node:fs";
import { daemonFiles } from "../daemon/daemon-files.ts";
import { errorFields } from "../daemon/errors.ts";
import type { Readiness } from "../daemon/start-daemon.ts";
import { logLine } from "../log.ts";
import type { Settings } from "../settings.ts";
import { VERSION } from "../version.ts";
import { EXIT, type Invocation } from "./command.ts";
import { createDaemon, surviveFaults } from "./run-daemon.ts";

/** The descriptor on which the client that starts the daemon passes it the lock. */
const LOCK_DESCRIPTOR = 3;

/**
 * `nuthatch daemon`, as clients start it: settings as JSON on standard input, the lock on descriptor 3, and one line of
 * readiness on standard output.
 */
export async function runDaemon({ directories }: Invocation): Promise<number> {
  process.on("SIGHUP", () => {});
  try {
    const { holdLock } = await import("../daemon/lock-file.ts");
    const lock = holdLock(daemonFiles(directories.runtime).lock, LOCK_DESCRIPTOR);
    const { daemon } = await createDaemon(directories, (await Bun.stdin.json()) as Settings, lock);
    surviveFaults();
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => void daemon.stop());
    tell({ ready: true });
    logLine(`${timestamp()} nuthatch ${VERSION} serves as pid ${process.pid}`);
    await daemon.ended;
    logLine(`${timestamp()} pid ${process.pid} ended`);
    return EXIT.done;
  } catch (error) {
    tell({ error: errorFields(error) });
    throw error;
  }
}

function tell(readiness: Readiness): void {
  try {
    writeSync(1, `${JSON.stringify(readiness)}\n`);
  } catch {
    // The client that started this daemon has gone; others will use it.
  }
}

function timestamp(): string {
  return new Date().toISOString();
}
