import { errorCode, errorMessage, NuthatchError } from "../errors.ts";
import type { KernelExit } from "./model.ts";

/** The kernel's process could not be started, or ended or fell silent before it was ready; `exit` has its last words. */
export function kernelStartFailed(
  kernel: string,
  what: string,
  more: { exit?: KernelExit; hint?: string; cause?: unknown } = {},
): NuthatchError {
  const words = more.exit?.stderr.trim();
  return new NuthatchError({
    code: "kernel_start_failed",
    message: `Kernel ${kernel} ${what}${words ? `:\n${words}` : ""}`,
    hint: more.hint ?? "nuthatch doctor lists the kernels and interpreters of this host",
    data: { kernel, ...more.exit },
    ...(more.cause === undefined ? {} : { cause: more.cause }),
  });
}

/** No kernelspec has that name; the message lists those there are. */
export function kernelspecNotFound(name: string, known: string[]): NuthatchError {
  return new NuthatchError({
    code: "kernelspec_not_found",
    message: `No kernelspec named "${name}"; there are: ${known.join(", ")}`,
    hint: "nuthatch kernelspec list shows where each was found; the setting kernel takes auto, bundled or one of these names",
    data: { name, known },
  });
}

/** A start that the operating system refused: limits get their own code, everything else is `kernel_start_failed`. */
export function startRefused(kernel: string, error: unknown): NuthatchError {
  if (isOutOfDescriptors(error)) {
    return new NuthatchError({
      code: "too_many_open_files",
      message: `Kernel ${kernel} cannot start: too many open files`,
      hint: "stop other sessions (nuthatch sessions), or raise the limit with ulimit -n",
      cause: error,
    });
  }
  return kernelStartFailed(kernel, `cannot start: ${errorMessage(error)}`, { cause: error });
}

/** Whether the system refused because this process, or all of them, has as many open files as it may have. */
export function isOutOfDescriptors(error: unknown): boolean {
  return ["EMFILE", "ENFILE", "too_many_open_files"].includes(errorCode(error) ?? "");
}

/** The files that this process may open yet are kept for those who are there already: clients that call, sessions that write. */
export function descriptorsReserved({ open, limit }: { open: number; limit: number }): Error {
  return Object.assign(new Error(`${open} files are open and the limit is ${limit}`), { code: "EMFILE" });
}

/** How a process ended, in words: `exited with code 3`, `was killed by SIGKILL`. */
export function describeExit(exit: KernelExit): string {
  return exit.signal === null ? `exited with code ${exit.code}` : `was killed by ${exit.signal}`;
}

/** The folder that a kernel was to start in is not there. */
export function workingDirectoryMissing(cwd: string): NuthatchError {
  return new NuthatchError({
    code: "cwd_not_found",
    message: `Working directory does not exist: ${cwd}`,
    data: { cwd },
  });
}

/** A start was asked for, or under way, while the provider was closed. */
export function providerClosed(): NuthatchError {
  return new NuthatchError({ code: "closed", message: "Kernels are being shut down; no new one is started" });
}
