import type { KernelMessage } from "@jupyterlab/services";
import { PRELUDE_DIAGNOSTICS } from "../python/prelude.ts";
import { pythonString } from "../python/python-string.ts";
import { initStepFailed } from "./errors.ts";
import type { PythonKernel } from "./python-kernel.ts";
import { runCell } from "./run-cell.ts";

/** What the kernel process takes over from the call that made its session. */
export interface SessionPlace {
  cwd: string;
  /** Entries that are set in the kernel's environment. */
  env: Record<string, string>;
}

/** A module of the user's that does not end is interrupted; a kernel that does not get this done is of no use. Milliseconds. */
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
 * The code that changes a fresh Python kernel to the working directory, sets environment entries, makes the folder importable,
 * and loads the prelude, if there is one.
 */
export function initCode(place: SessionPlace, prelude: string | undefined): string {
  const code = `exec(${pythonString(SOURCE)}, {"PLACE": ${pythonString(JSON.stringify(place))}})`;
  return [code, prelude ?? ""].join("\n");
}

/**
 * The same for a process that is ready and gets its folder and environment from its gateway. Few and short statements: Python
 * takes as long to read them as to run them.
 */
export function prepareCode(cwd: string, prelude: string | undefined): string {
  const [folder, path] = [pythonString(cwd), `__import__("sys").path`];
  return [`if ${folder} not in ${path}: ${path}.insert(0, ${folder})`, prelude ?? ""].join("\n");
}

/**
 * Has a kernel run `initCode`, silently: it counts as no execution. Kernels of other languages have only what their process was
 * started with. Returns what is wrong with the user's modules; throws `kernel_init_failed` with the kernel's words.
 */
export async function runInitStep(kernel: PythonKernel, code: string, signal: AbortSignal): Promise<unknown[]> {
  if (kernel.language !== "python") return [];
  const diagnostics: unknown[] = [];
  const onOutput = (message: KernelMessage.IIOPubMessage) => diagnostics.push(...readDiagnostics(message));
  const limit = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
  const listener = { onOutput, onStdin: () => {} };
  const end = await runCell(kernel, code, limit, listener, { silent: true });
  signal.throwIfAborted();
  if (end.status === "ok") return diagnostics;
  const reason = end.error ? `${end.error.name}: ${end.error.value}` : (end.death?.reason ?? end.status);
  throw initStepFailed(kernel.name, reason);
}

function readDiagnostics({ content }: KernelMessage.IIOPubMessage): unknown[] {
  const found = (content as { data?: Record<string, unknown> }).data?.[PRELUDE_DIAGNOSTICS];
  return Array.isArray(found) ? found : [];
}
