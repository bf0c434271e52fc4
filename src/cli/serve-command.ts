import { daemonFiles } from "../daemon/daemon-files.ts";
import { daemonRunning } from "../daemon/errors.ts";
import { findDaemon } from "../daemon/open-daemon.ts";
import { logLine } from "../log.ts";
import { ensurePrivateDirectory } from "../paths.ts";
import { EXIT, type Invocation } from "./command.ts";
import { onInterrupt } from "./interrupt.ts";
import { createDaemon, surviveFaults } from "./run-daemon.ts";

/** `nuthatch serve`: the daemon in the foreground. It does not end by itself when idle; Ctrl-C and `nuthatch stop` end it. */
export async function runServe({ directories, settings }: Invocation): Promise<number> {
  const { tryLockFile } = await import("../daemon/lock-file.ts");
  const files = daemonFiles(ensurePrivateDirectory(directories.runtime));
  const lock = tryLockFile(files.lock);
  if (lock === undefined) throw daemonRunning((await findDaemon(directories.runtime))?.hello.pid);
  const daemon = await createDaemon(directories, settings, lock);
  surviveFaults();
  const release = onInterrupt(() => void daemon.stop());
  logLine(`serving on ${files.socket} (pid ${process.pid})`);
  await daemon.ended;
  release();
  return EXIT.done;
}
