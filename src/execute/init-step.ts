import { pythonString } from "../python/python-string.ts";
import { initStepFailed } from "./errors.ts";
import type { PythonKernel } from "./python-kernel.ts";
import { runCell } from "./run-cell.ts";

/** What the kernel process takes over from the call that made its session. */
export interface KernelPlace {
  cwd: string;
  /** Entries that are set in the kernel's environment. */
  env: Record<string, string>;
}

/** A fresh kernel that does not get this done is of no use to anybody. Milliseconds. */
const LIMIT_MS = 30_000;

/** Runs in a namespace of its own, so that no name of it stays in the user's. */
const SOURCE = `
import json, os, sys
place = json.loads(PLACE)
os.environ.update(place["env"])
try:
    os.chdir(place["cwd"])
except OSError:
    pass
else:
    if place["cwd"] not in sys.path:
        sys.path.insert(0, place["cwd"])
`;

/**
 * Changes a fresh Python kernel to the working directory, sets environment entries and makes the folder importable. Silent: it
 * counts as no execution. Kernels of other languages have only what their process was started with.
 */
export async function placeKernel(kernel: PythonKernel, place: KernelPlace, signal: AbortSignal): Promise<void> {
  if (kernel.language !== "python") return;
  await runSilently(kernel, `exec(${pythonString(SOURCE)}, {"PLACE": ${pythonString(JSON.stringify(place))}})`, signal);
}

/** Runs code of Nuthatch itself in the kernel, unseen. Throws `kernel_init_failed` with the kernel's words. */
async function runSilently(kernel: PythonKernel, code: string, signal: AbortSignal): Promise<void> {
  const listener = { onOutput: () => {}, onStdin: () => {} };
  const limited = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
  const end = await runCell(kernel, code, limited, listener, { silent: true });
  if (end.interrupted) signal.throwIfAborted();
  if (end.status === "ok") return;
  const reason = end.error ? `${end.error.name}: ${end.error.value}` : (end.death?.reason ?? end.status);
  throw initStepFailed(kernel.name, reason);
}
