import { invalidInput } from "../errors.ts";
import type { Client } from "../tools/client.ts";
import type { CallOptions, ToolResult } from "../tools/tool.ts";
import { EXIT, type Invocation } from "./command.ts";
import { connect } from "./connect.ts";
import { onInterrupt } from "./interrupt.ts";
import { EventWriter, writeJson } from "./standard-output.ts";

/** `nuthatch call <tool> [json]`: one JSON result line, or with `--stream` one event a line and the result last. */
export async function runCall(invocation: Invocation): Promise<number> {
  const [tool, text] = invocation.positionals as [string, string | undefined];
  const input = parseInput(text === undefined || text === "-" ? await Bun.stdin.text() : text);
  const client = await connect(invocation, tool);
  const abort = new AbortController();
  const release = onInterrupt(() => abort.abort());
  try {
    const result = await callAndPrint(client, tool, input, invocation, abort);
    if (abort.signal.aborted) return EXIT.interrupted;
    return exitStatus(result);
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

/** 0 when it was done, 1 when the tool reported an error, 2 when Nuthatch itself failed. */
export function exitStatus(result: ToolResult): number {
  if (!result.isError) return EXIT.done;
  return result.details.code === "internal_error" ? EXIT.internal : EXIT.failed;
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
    const result = await client.callTool(tool, input, options);
    writeJson(result);
    return result;
  }
  const events = new EventWriter(() => abort.abort());
  const onUpdate: CallOptions["onUpdate"] = (update) => events.write({ event: "update", ...update });
  const result = await client.callTool(tool, input, { ...options, onUpdate });
  events.write({ event: "result", ...result });
  await events.drain();
  return result;
}

function parseInput(text: string): unknown {
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalidInput(
      `the parameters are not JSON: ${error instanceof Error ? error.message : error}`,
      "json",
      `pass one JSON object, such as '{"action":"read","notebook_path":"a.ipynb"}', or - to read it from standard input`,
    );
  }
}
