import { NuthatchError } from "../errors.ts";

/** A place where an interpreter was looked for, and what was wrong with it. */
export interface FailedCandidate {
  path: string;
  source: string;
  reason: string;
}

/** No interpreter works; the message says what was tried. */
export function pythonNotFound(failed: FailedCandidate[]): NuthatchError {
  const tried = failed.map((one) => `${one.path} (${one.source}): ${one.reason}`);
  return new NuthatchError({
    code: "python_not_found",
    message: tried.length > 0 ? `No Python that works:\n${tried.join("\n")}` : "No Python found",
    hint: "install python3, activate an environment, or name an interpreter by the setting python",
    data: { failed },
  });
}
