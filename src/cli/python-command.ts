import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { errorMessage, invalidInput } from "../errors.ts";
import type { ToolResult, ToolUpdate } from "../tools/tool.ts";
import { callOptions, exitStatus, READER_GONE } from "./call-command.ts";
import type { Invocation } from "./command.ts";
import { connect } from "./connect.ts";
import { onInterrupt } from "./interrupt.ts";
import { type ScriptCell, splitPercentScript } from "./percent-script.ts";
import { reportRefused, warnOfDiagnostics } from "./report-refusal.ts";
import { decodeText, readStandardInput } from "./standard-input.ts";
import { TextWriter, writeJson } from "./standard-output.ts";
import { watchPython } from "./watch-python.ts";

/** `nuthatch python [file] [-c code]`: the cells as they run on a terminal, else their text as it comes, or with `--json` the result. */
export async function runPython(invocation: Invocation): Promise<number> {
  const input = { cells: await readCells(invocation), ...readParameters(invocation) };
  const client = await connect(invocation, "python");
  const abort = new AbortController();
  const release = onInterrupt(() => abort.abort());
  const out = new TextWriter(() => abort.abort(READER_GONE));
  const options = callOptions(invocation, abort.signal);
  const watched = await watchPython(invocation, input);
  const onUpdate = (update: ToolUpdate) => (watched === undefined ? out.write(textOf(update)) : watched.update(update));
  try {
    const result = await client.callTool("python", input, invocation.json ? options : { ...options, onUpdate });
    await watched?.finish(result);
    if (invocation.json) writeJson(result);
    else if (result.details.code !== undefined) reportRefused(result);
    else if (watched === undefined) warnOfDiagnostics(result);
    await out.drain();
    return exitStatus(result, abort.signal);
  } finally {
    watched?.abandon();
    release();
    await client.dispose();
  }
}

/** The cells of `-c`, of a script, or of standard input. Throws `invalid_input`. */
async function readCells({ positionals, values, cwd }: Invocation): Promise<ScriptCell[]> {
  const [file] = positionals;
  if (values.code !== undefined) {
    if (file !== undefined) throw invalidInput(`-c and the file ${file} are both given`, "code", "give one of them");
    return [{ code: values.code }];
  }
  const text =
    file === undefined || file === "-"
      ? await readStandardInput("file", "the code")
      : await readScript(resolve(cwd, file));
  const cells = splitPercentScript(text);
  if (cells.length === 0) throw invalidInput("there is no code to run", "file", "nuthatch python -c 'print(1)'");
  return cells;
}

async function readScript(path: string): Promise<string> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (error) {
    throw invalidInput(`cannot read ${path}: ${errorMessage(error)}`, "file");
  }
  return decodeText(bytes, path, "file");
}

function readParameters({ values, switches }: Invocation): Record<string, unknown> {
  return {
    ...(values.timeout === undefined ? {} : { timeout: values.timeout }),
    ...(switches.has("reset") ? { reset: true } : {}),
  };
}

function textOf({ content }: ToolResult | ToolUpdate): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("");
}
