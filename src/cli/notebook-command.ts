import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { errorMessage, invalidInput } from "../errors.ts";
import type { ToolResult } from "../tools/tool.ts";
import { callOptions, exitStatus } from "./call-command.ts";
import type { Invocation } from "./command.ts";
import { connect } from "./connect.ts";
import { onInterrupt } from "./interrupt.ts";
import { reportRefused } from "./report-refusal.ts";
import { decodeText, readStandardInput } from "./standard-input.ts";
import { writeJson, writeOut } from "./standard-output.ts";

/** The actions that write a source, and so read standard input when no option gives one. */
const NEEDS_CONTENT = new Set(["edit", "insert", "replace"]);

/** `nuthatch notebook <action> <path> [index]`: the result for a person, the diff of a dry run, or the result as JSON. */
export async function runNotebook(invocation: Invocation): Promise<number> {
  const input = await readParameters(invocation);
  const client = await connect(invocation, "notebook");
  const abort = new AbortController();
  const release = onInterrupt(() => abort.abort());
  try {
    const result = await client.callTool("notebook", input, callOptions(invocation, abort.signal));
    if (invocation.json) writeJson(result);
    else await printResult(result, input, invocation);
    return exitStatus(result, abort.signal);
  } finally {
    release();
    await client.dispose();
  }
}

/** Each option is the tool's parameter of that name; the tool checks them. */
async function readParameters(invocation: Invocation): Promise<Record<string, unknown>> {
  const { positionals, values, switches, cwd } = invocation;
  const [action, path, index] = positionals as [string, string, string | undefined];
  const { content, file, ...others } = values;
  const parameters = PARAMETERS.filter((name) => others[flagOf(name)] !== undefined);
  const text = await readContent(action, content, file && resolve(cwd, file));
  return {
    action,
    notebook_path: path,
    ...(index === undefined ? {} : { cell_index: index }),
    ...Object.fromEntries(parameters.map((name) => [name, others[flagOf(name)]])),
    ...(text === undefined ? {} : { content: text }),
    ...(switches.has("force") ? { force: true } : {}),
    ...(switches.has("dry-run") ? { dry_run: true } : {}),
  };
}

/** The tool's parameters that are options with a value; `kernel` is one for every command. */
const PARAMETERS = ["cell_id", "cell_type", "old", "to_index", "range", "search", "outputs", "kernel", "if_revision"];

function flagOf(parameter: string): string {
  return parameter.replaceAll("_", "-");
}

/** The source, exactly as it was given. */
async function readContent(action: string, content: string | undefined, file: string | undefined) {
  if (content !== undefined && file !== undefined) {
    throw invalidInput("--content and --file are both given", "content", "give one of them");
  }
  if (content !== undefined) return content;
  if (file === undefined) return NEEDS_CONTENT.has(action) ? await readTyped() : undefined;
  let bytes: Uint8Array;
  try {
    bytes = await readFile(file);
  } catch (error) {
    throw invalidInput(`cannot read ${file}: ${errorMessage(error)}`, "file");
  }
  return decodeText(bytes, file, "content");
}

/** Nothing at all is no content: `--content ''` empties a cell, a forgotten option does not. */
async function readTyped(): Promise<string | undefined> {
  const text = await readStandardInput("content", "the source");
  return text === "" ? undefined : text;
}

/** A diff goes out as it is, for `patch`; a terminal gets a drawn view, a pipe the text. */
async function printResult(result: ToolResult, input: Record<string, unknown>, invocation: Invocation): Promise<void> {
  const text = result.content.map((block) => (block.type === "text" ? block.text : `[${block.mimeType}]\n`)).join("");
  const { diff } = result.details;
  if (result.isError) reportRefused(result);
  else if (input.dry_run && typeof diff === "string" && !process.stdout.isTTY) writeOut(diff);
  else if (process.stdout.isTTY) writeOut(await drawResult(result, input, invocation));
  else writeOut(text.endsWith("\n") ? text : `${text}\n`);
}

async function drawResult(result: ToolResult, input: Record<string, unknown>, invocation: Invocation): Promise<string> {
  const { createTheme } = await import("../render/theme.ts");
  const { detectTerminal } = await import("../render/terminal.ts");
  const { notebookToolRenderer } = await import("../render/tools/notebook.ts");
  const terminal = detectTerminal(process.stdout, invocation.environment);
  const colors = invocation.switches.has("no-color") ? "none" : terminal.colors;
  const theme = createTheme({ colors, light: terminal.light });
  const lines = notebookToolRenderer
    .renderResult(result, input)
    .render({ width: terminal.width, expanded: true, theme });
  return `${lines.join("\n")}\n`;
}
