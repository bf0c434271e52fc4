import { sessionMismatch } from "./errors.ts";
import type { KernelSession, SessionRequest } from "./kernel-session.ts";

/** Variables by which a caller chooses its interpreter; the first that is set counts. */
const INTERPRETER_VARIABLES = ["VIRTUAL_ENV", "CONDA_PREFIX"];

/** Throws `session_mismatch` when a call asks, in so many words, for another kernel or interpreter than its session has. */
export function checkSameKernel(session: KernelSession, request: SessionRequest): void {
  const had = session.request;
  const named = { name: session.name, parameter: request.notebook === undefined ? "reset" : "restart" } as const;
  const kernel = request.settings.kernel;
  if (kernel !== "auto" && kernel !== had.settings.kernel && kernel !== session.kernel?.name) {
    throw sessionMismatch(named, "kernel", session.kernel?.name ?? had.settings.kernel, kernel);
  }
  const before = askedInterpreter(had);
  const asked = askedInterpreter(request);
  if (asked !== undefined && asked !== before) {
    throw sessionMismatch(named, "interpreter", before ?? "of its folder or PATH", asked);
  }
}

function askedInterpreter(request: SessionRequest): string | undefined {
  return (
    request.settings.python ??
    INTERPRETER_VARIABLES.map((name) => request.environment[name]).find((value) => value !== undefined && value !== "")
  );
}
