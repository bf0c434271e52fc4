import { errorMessage, invalidInput } from "../errors.ts";
import { logLine } from "../log.ts";

/**
 * All of standard input as text; `what` tells a person at a terminal what is waited for. Throws `invalid_input` for what cannot
 * be read, such as a folder, and for what is no UTF-8.
 */
export async function readStandardInput(parameter: string, what: string): Promise<string> {
  if (process.stdin.isTTY) logLine(`reading ${what} from standard input; Ctrl-D ends it`);
  let bytes: Uint8Array;
  try {
    bytes = await Bun.stdin.bytes();
  } catch (error) {
    throw invalidInput(`cannot read standard input: ${errorMessage(error)}`, parameter);
  }
  return decodeText(bytes, "standard input", parameter);
}

/** Text exactly as its bytes say; a byte that is no UTF-8 is refused, because what stands in for it would be written. */
export function decodeText(bytes: Uint8Array, name: string, parameter: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw invalidInput(`${name} is not UTF-8 text`, parameter);
  }
}
