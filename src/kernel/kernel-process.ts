// A process in a session and group of its own. It ends by itself or by `signalGroup`; what is left of its group is killed
// then, and `exited` resolves after its last words were read. Its pipes are read from start to end, always.
import { errorCode } from "../errors.ts";
import { startRefused } from "./errors.ts";
import type { KernelExit } from "./model.ts";

/** A kernel's process. `signalGroup` reaches its children too, and does nothing when nobody is left. */
export interface KernelProcess {
  readonly pid: number;
  readonly exited: Promise<KernelExit>;
  signalGroup(signal: NodeJS.Signals): void;
}

/** What to run; `argv[0]` is an absolute path. */
export interface ProcessStart {
  kernel: string;
  argv: string[];
  cwd: string;
  env: Record<string, string>;
}

/** How much of what a kernel wrote last is kept for an error. Bytes. */
const LAST_WORDS_BYTES = 8192;
/** A child that took the pipes along may hold them open for long after the kernel; the rest is not waited for. */
const LAST_WORDS_MILLISECONDS = 200;

/**
 * Starts a kernel's process. It never inherits our standard streams, because ipykernel 6 echoes there what it also sends as
 * output. Throws `too_many_open_files` or `kernel_start_failed`.
 */
export function spawnKernel(start: ProcessStart): KernelProcess {
  const child = launch(start);
  const words = [keepLastWords(child.stderr), keepLastWords(child.stdout)];
  const signalGroup = (signal: NodeJS.Signals) => signalProcessGroup(child.pid, signal);
  const exited = child.exited.then(async () => {
    signalGroup("SIGKILL");
    const [stderr, stdout] = await Promise.all(words.map((kept) => kept.finish()));
    const signal = child.signalCode === null ? null : String(child.signalCode);
    return { code: child.exitCode, signal, stderr: stderr || stdout || "" };
  });
  return { pid: child.pid, exited, signalGroup };
}

/** Sends a signal to all processes of a group; a group that is gone is no error. */
export function signalProcessGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch (error) {
    if (errorCode(error) !== "ESRCH") throw error;
  }
}

function launch(start: ProcessStart) {
  try {
    return Bun.spawn(start.argv, {
      cwd: start.cwd,
      env: start.env,
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
      detached: true,
    });
  } catch (error) {
    throw startRefused(start.kernel, error);
  }
}

function keepLastWords(stream: ReadableStream<Uint8Array>): { finish(): Promise<string> } {
  const reader = stream.getReader();
  let kept = Buffer.alloc(0);
  const drained = (async () => {
    for (let next = await reader.read(); !next.done; next = await reader.read())
      kept = Buffer.concat([kept, next.value.subarray(-LAST_WORDS_BYTES)]).subarray(-LAST_WORDS_BYTES);
  })().catch(() => {});
  return {
    async finish() {
      const limit = setTimeout(() => reader.cancel().catch(() => {}), LAST_WORDS_MILLISECONDS);
      await drained;
      clearTimeout(limit);
      return kept.toString("utf8");
    },
  };
}
