import { delimiter, dirname } from "node:path";
import type { Interpreter } from "./find-interpreter.ts";

/**
 * What changes in a kernel's environment for its interpreter: the `bin` of a virtual or conda environment comes first on PATH,
 * so that `!pip` and child processes mean the same environment, as after its activation.
 */
export function activateInterpreter(env: Record<string, string>, interpreter: Interpreter): Record<string, string> {
  if (!interpreter.environment) return env;
  const bin = dirname(interpreter.executable);
  const rest = (env.PATH ?? "").split(delimiter).filter((folder) => folder !== "" && folder !== bin);
  const { PYTHONHOME: _, ...kept } = env;
  const variable = env.CONDA_PREFIX === interpreter.prefix ? "CONDA_PREFIX" : "VIRTUAL_ENV";
  return { ...kept, PATH: [bin, ...rest].join(delimiter), [variable]: interpreter.prefix };
}
