import { invalidInput } from "../errors.ts";
import type { Client } from "../tools/client.ts";
import { resultOfError } from "../tools/result.ts";
import type { CallOptions, ToolResult } from "../tools/tool.ts";
import { EXIT, failureStatus, type Invocation } from "./command.ts";
import { connect } from "./connect.ts";
import { onInterrupt } from "./interrupt.ts";
import { readStandardInput } from "./standard-input.ts";
import { TextWriter, writeJson } from "./standard-output.ts";

/** `nuthatch call <tool> [json]`: one JSON result line, or with `--stream` one event a line and the result last. */
export async function runCall(invocation: Invocation): Promise<number> {
  const [tool, text] = invocation.positionals as [string, string | undefined];
  const input = parseInput(
    text === undefined || text === "-" ? await readStandardInput("json", "the parameters") : text,
  );
  const client = await connect(invocation, tool);
  const abort = new AbortController();
  const release = onInterrupt(() => abort.abort());
  try {
    const result = await callAndPrint(client, tool, input, invocation, abort);
    return exitStatus(result, abort.signal);
  } finally {
    release();
    await client.dispose();
  }
}

/** What the caller's signal, session and environment become for one call. */
export function callOptions(invocation: Invocation, signal: AbortSignal): CallOptions {
  const { cwd, environment, settings, session } = invocation;
  return { cwd, environment, settings, signal, ...(session === undefined ? {} : { session }) };
}

/** Why a call is aborted when nobody reads its output any more: no failure, and nothing to say. */
export const READER_GONE = "reader gone";

/** 0 when it was done, 1 when the tool reported an error, 2 when Nuthatch itself failed, 130 when it was interrupted. */
export function exitStatus(result: ToolResult, signal: AbortSignal): number {
  if (signal.aborted) return signal.reason === READER_GONE ? EXIT.done : EXIT.interrupted;
  if (!result.isError) return EXIT.done;
  return failureStatus(result.details.code);
}

async function callAndPrint(
  client: Client,
  tool: string,
  input: unknown,
  invocation: Invocation,
  abort: AbortController,
) {
  const options = callOptions(invocation, abort.signal);
  if (!invocation.switches.has("stream")) {
    const result = await client.callTool(tool, input, options).catch(resultOfError);
    writeJson(result);
    return result;
  }
  const events = new TextWriter(() => abort.abort(READER_GONE));
  const onUpdate: CallOptions["onUpdate"] = (update) =>
    events.write(`${JSON.stringify({ event: "update", ...update })}\n`);
  const result = await client.callTool(tool, input, { ...options, onUpdate }).catch(resultOfError);
  events.write(`${JSON.stringify({ event: "result", ...result })}\n`);
  await events.drain();
  return result;
}

function parseInput(text: string): unknown {
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    throw invalidInput(
      `the parameters are not JSON: ${error instanceof Error ? error.message : error}`,
      "json",
      `pass one JSON object, such as '{"action":"read","notebook_path":"a.ipynb"}', or - to read it from standard input`,
    );
  }
}
