import { errorCode } from "../errors.ts";
import { callLimited, waitLimited } from "./time-limit.ts";

/** How long a plugin's file may take to load. */
export const LOAD_LIMIT_MS = 2000;

/**
 * Loads a plugin's file and gives what it exports by default; `missing` when it has no default export. `require` comes first:
 * only a synchronous load can be cut off when the file never ends. A file that awaits is imported and waited for.
 */
export async function importPlugin(path: string): Promise<{ value: unknown } | "missing"> {
  const loaded = loadNow(path) ?? (await waitLimited(import(path), LOAD_LIMIT_MS));
  if (typeof loaded !== "object" || loaded === null) return { value: loaded };
  if ("default" in loaded) return { value: loaded.default };
  return /\.cjs$/.test(path) ? { value: loaded } : "missing";
}

/** The module, or undefined when it has to be imported: because it awaits, or to have its error told once more. */
function loadNow(path: string): unknown {
  try {
    return callLimited(() => require(path), LOAD_LIMIT_MS);
  } catch (error) {
    if (errorCode(error) === "plugin_cut_off") throw error;
    return undefined;
  }
}
