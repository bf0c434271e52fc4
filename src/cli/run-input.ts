import { invalidInput } from "../errors.ts";
import type { Invocation } from "./command.ts";

/** The parameters of the tool run_notebook, but for the path, as the options of `nuthatch run` give them. */
export function readRunInput({ positionals, values, pairs, switches }: Invocation): Record<string, unknown> {
  if (values["save-as"] !== undefined && positionals.length > 1) {
    throw invalidInput("--save-as is for one notebook", "save-as");
  }
  const parameters = {
    ...Object.fromEntries((pairs.parameter ?? []).map(([name, text]) => [name, typedValue(text)])),
    ...Object.fromEntries(pairs["text-parameter"] ?? []),
  };
  return {
    ...(values.cells === undefined ? {} : { cells: values.cells }),
    ...(values.timeout === undefined ? {} : { timeout: values.timeout }),
    ...(values["total-timeout"] === undefined ? {} : { total_timeout: values["total-timeout"] }),
    ...(values["save-as"] === undefined ? {} : { save_as: values["save-as"] }),
    ...(switches.has("allow-errors") ? { allow_errors: true } : {}),
    ...(switches.has("restart") ? { restart: true } : {}),
    ...(Object.keys(parameters).length === 0 ? {} : { parameters }),
  };
}

/** A value as Papermill's `-p` reads it: True, False, None, a number, or text. 1.0 is no 1, and 007 is 7. */
function typedValue(text: string): unknown {
  if (text === "True" || text === "true") return true;
  if (text === "False" || text === "false") return false;
  if (text === "None" || text === "null") return null;
  if (!/^[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|nan|inf(?:inity)?)$/i.test(text)) return text;
  return { $number: text.replace(/^([-+]?)0+(?=\d)/, "$1") };
}

/** How many notebooks run at once. Throws `invalid_input`. */
export function readJobs({ values }: Invocation): number {
  const text = values.jobs ?? "1";
  if (!/^[1-9]\d{0,3}$/.test(text)) throw invalidInput(`jobs must be a whole number from 1 on, not ${text}`, "jobs");
  return Number(text);
}
