import { runInThisContext } from "node:vm";
import { errorCode, NuthatchError } from "../errors.ts";

/** How long one synchronous call of a plugin's function may take. */
export const CALL_LIMIT_MS = 1000;

const SLOT = Symbol.for("nuthatch.limited");

/**
 * Calls a function and cuts it off after `limitMs`, an endless loop too: the engine's watchdog of `node:vm` also covers what
 * a script calls. Costs about 20 microseconds. Throws what the function throws, or `plugin_cut_off`.
 */
export function callLimited<Result>(call: () => Result, limitMs = CALL_LIMIT_MS): Result {
  const place = globalThis as { [SLOT]?: () => unknown };
  const outer = place[SLOT];
  place[SLOT] = call;
  try {
    return runInThisContext(`globalThis[Symbol.for("nuthatch.limited")]()`, { timeout: limitMs }) as Result;
  } catch (error) {
    throw errorCode(error) === "ERR_SCRIPT_EXECUTION_TIMEOUT" ? cutOff(limitMs) : error;
  } finally {
    place[SLOT] = outer;
  }
}

/** Waits for a promise no longer than `limitMs`; then throws `plugin_cut_off`. */
export async function waitLimited<Result>(promise: Promise<Result>, limitMs: number): Promise<Result> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(cutOff(limitMs)), limitMs);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** From now on nobody ends the process by `process.exit`, for plugins work in functions that nobody waits for, too. */
export function refuseExit(): void {
  process.exit = () => {
    throw new NuthatchError({ code: "plugin_cut_off", message: "cut off because it wanted to end the process" });
  };
}

function cutOff(limitMs: number): NuthatchError {
  return new NuthatchError({ code: "plugin_cut_off", message: `cut off after ${limitMs} ms` });
}
