import type { App } from "../app.ts";
import { type DaemonFiles, daemonFiles } from "../daemon/daemon-files.ts";
import type { FileLock } from "../daemon/lock-file.ts";
import type { Daemon } from "../daemon/server.ts";
import { errorMessage } from "../errors.ts";
import { logLine } from "../log.ts";
import type { Directories } from "../paths.ts";
import type { Settings } from "../settings.ts";

/** Makes the daemon of this process and the App behind its socket. The daemon owns the App, and the lock. */
export async function createDaemon(
  directories: Directories,
  settings: Settings,
  lock: FileLock,
): Promise<{ daemon: Daemon; app: App }> {
  const [{ Daemon }, { createApp }] = await Promise.all([import("../daemon/server.ts"), import("../app.ts")]);
  const files: DaemonFiles = daemonFiles(directories.runtime);
  const app = createApp({ directories, settings, outlivesClients: true });
  return { daemon: new Daemon({ files, lock, app, idleTimeout: settings.idleTimeout }), app };
}

/** A fault in one call must not end the sessions of all others: it is logged, and the daemon goes on. */
export function surviveFaults(): void {
  const report = (error: unknown) => logLine(`fault: ${error instanceof Error ? error.stack : errorMessage(error)}`);
  process.on("uncaughtException", report);
  process.on("unhandledRejection", report);
}
