import * as v from "valibot";
import { invalidInput } from "../errors.ts";
import { textEnd } from "../output/text-end.ts";
import { wholeOutput } from "../output/truncation-notice.ts";
import type { BackgroundRun } from "./background-run.ts";
import type { Tool, ToolContext, ToolResult } from "./tool.ts";

const DEFAULT_WAIT = 30;
const LONGEST_WAIT = 600;
/** How long an interrupted run may take to end before the answer is given, in seconds. */
const INTERRUPT_WAIT = 10;

const input = v.strictObject({
  action: v.pipe(v.picklist(["list", "read", "wait", "interrupt"]), v.description("What to do")),
  run_id: v.optional(v.pipe(v.string(), v.description("The run; for all actions but list"))),
  cursor: v.optional(
    v.pipe(
      v.number(),
      v.integer("a whole number"),
      v.minValue(0, "0 or more"),
      v.description("Give only the output after this position, which the answer before named (default 0)"),
    ),
  ),
  wait: v.optional(
    v.pipe(
      v.number(),
      v.minValue(0, "0 or more"),
      v.maxValue(LONGEST_WAIT, `${LONGEST_WAIT} or less`),
      v.description(
        `Seconds to wait: for read until there is new output (default 0), for wait until the run has ended (default ${DEFAULT_WAIT}); at most ${LONGEST_WAIT}`,
      ),
    ),
  ),
});

/** The `runs` tool: follows what `background: true` started. */
export const runsTool: Tool<typeof input> = {
  name: "runs",
  title: "Background runs",
  description: `Follows and stops runs that python or run_notebook started with background: true.
- wait: what is new once the run has ended or the time is over. This is the usual call.
- read: what is new right now.
- interrupt: stops a run as an interrupt of its kernel does; variables stay.
- list: all runs of the last hour with their status.
Pass the cursor of the last answer to get only what is new. When the run has ended the answer holds its result.`,
  input,
  aliases: { runId: "run_id", id: "run_id", timeout: "wait", seconds: "wait" },
  run: runRuns,
};

async function runRuns(parameters: v.InferOutput<typeof input>, context: ToolContext): Promise<ToolResult> {
  const { action, run_id: id, cursor = 0, wait } = parameters;
  if (action === "list") return listRuns(context.runs.list());
  if (id === undefined) throw invalidInput(`run_id is required for ${action}`, "run_id");
  const run = context.runs.find(id);
  const hasEnded = () => run.result !== undefined;
  const hasNews = () => run.output.length > cursor || hasEnded();
  if (action === "interrupt") run.interrupt();
  const [isEnough, byDefault] =
    action === "read" ? [hasNews, 0] : [hasEnded, action === "wait" ? DEFAULT_WAIT : INTERRUPT_WAIT];
  await run.wait(isEnough, wait ?? byDefault, context.signal);
  return readRun(run, cursor, context.settings.maxOutputBytes);
}

function listRuns(runs: BackgroundRun[]): ToolResult {
  const lines = runs.map((run) => `${run.id}  ${describeStatus(run)}  ${run.origin.tool}  ${run.origin.title}`);
  return {
    content: [{ type: "text", text: lines.length === 0 ? "No runs in the last hour\n" : `${lines.join("\n")}\n` }],
    details: { runs: runs.map((run) => ({ ...describeRun(run), cursor: run.output.length })) },
    isError: false,
  };
}

/** What is new, a line on how the run stands, and its images and details once it has ended. */
function readRun(run: BackgroundRun, from: number, maxBytes: number): ToolResult {
  const { text, cursor, missed } = run.output.since(from);
  const shown = maxBytes === 0 ? text : textEnd([Buffer.from(text)], maxBytes);
  const leftOut = missed + text.length - shown.length;
  const cut = leftOut === 0 ? "" : `[${leftOut} characters before this are left out${whereIsAll(run.result)}]\n`;
  const open = shown === "" || shown.endsWith("\n") ? "" : "\n";
  const next = run.result === undefined ? `; read on with cursor ${cursor}` : "";
  const images = run.result?.content.filter((block) => block.type === "image") ?? [];
  return {
    content: [
      { type: "text", text: `${cut}${shown}${open}[run ${run.id}: ${describeStatus(run)}${next}]\n` },
      ...images,
    ],
    details: {
      ...describeRun(run),
      cursor,
      leftOut,
      ...(run.result === undefined ? {} : { result: run.result.details }),
    },
    isError: run.result?.isError ?? false,
  };
}

/** The artifact of a run that has ended, if its output was too long for its result. */
function whereIsAll(result: ToolResult | undefined): string {
  const { artifactId } = (result?.details.meta ?? {}) as { artifactId?: string | null };
  return artifactId ? `. ${wholeOutput(artifactId)}` : "";
}

function describeRun(run: BackgroundRun) {
  const { id, origin, status, durationMs } = run;
  return { runId: id, ...origin, status, startedAt: run.startedAt.toISOString(), durationMs };
}

function describeStatus(run: BackgroundRun): string {
  const seconds = run.durationMs / 1000;
  const time = `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  return run.status === "running" ? `running for ${time}` : `${run.status} after ${time}`;
}
