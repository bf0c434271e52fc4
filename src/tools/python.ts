import { resolve } from "node:path";
import * as v from "valibot";
import { listHelpers } from "./helper-list.ts";
import type { Tool, ToolContext, ToolResult } from "./tool.ts";

const DEFAULT_TIMEOUT = 30;
const LONGEST_TIMEOUT = 600;

const Cell = v.strictObject({
  code: v.pipe(v.string(), v.description("Python code. State persists across cells and calls of a session.")),
  title: v.optional(v.pipe(v.string(), v.description("A few words on what the cell does."))),
});

const input = v.strictObject({
  cells: v.pipe(
    v.union([v.array(v.union([Cell, v.string()])), v.string()]),
    v.transform((cells) => (typeof cells === "string" ? [cells] : cells).map(asCell)),
    v.minLength(1, "a list of at least one cell"),
    v.description(
      "Cells to run in order; the first that fails ends the call. A string, or strings in the list, will do.",
    ),
  ),
  timeout: v.optional(
    v.pipe(
      v.number(),
      v.description(`Seconds for the whole call, ${DEFAULT_TIMEOUT} by default, at most ${LONGEST_TIMEOUT}.`),
    ),
  ),
  cwd: v.optional(v.pipe(v.string(), v.description("Working directory; the session is this folder's own."))),
  reset: v.optional(v.pipe(v.boolean(), v.description("Start with a fresh kernel.")), false),
  session: v.optional(
    v.pipe(v.string(), v.nonEmpty("a name"), v.description("A session by name, the same from every folder.")),
  ),
  background: v.optional(
    v.pipe(
      v.boolean(),
      v.description("Answer at once with a run id and go on running; follow it with the tool runs. No time limit."),
    ),
  ),
});

/** Runs cells in a persistent kernel. */
export const pythonTool: Tool<typeof input> = {
  name: "python",
  title: "Python",
  description: `Runs Python cells in a Jupyter kernel that lives on: variables and imports are there in the next call from the same folder (or session). Use it for data, computation, plots and experiments; nothing is written into a notebook (run_notebook does that).
- Several small cells are better than one: the first that fails ends the call, and what ran before it is kept.
- The last expression of a cell is shown, as in Jupyter; figures come back as images. Long output is cut to its end, and the text names the artifact that holds all of it.
- Helpers need no import. Each prints what it finds (not with quiet=True) and returns it; run gives .stdout .stderr .code, output reads an artifact by its id:
${listHelpers()}
- input() is not answered: put the data into the code.
- timeout covers the whole call (${DEFAULT_TIMEOUT} s unless given). For more than ${LONGEST_TIMEOUT} s use background: true and follow the run with runs.`,
  input,
  aliases: { code: "cells" },
  itemAliases: { cells: { source: "code", content: "code", name: "title" } },
  run: runPython,
};

async function runPython(parameters: v.InferOutput<typeof input>, context: ToolContext): Promise<ToolResult> {
  if (parameters.background !== true) return await runCells(parameters, context);
  const title = parameters.cells.find((cell) => cell.title !== undefined)?.title ?? "python";
  return context.runs.start({ tool: "python", title }, (options) => runCells(parameters, { ...context, ...options }));
}

async function runCells(parameters: v.InferOutput<typeof input>, context: ToolContext): Promise<ToolResult> {
  const { cells, timeout, cwd, reset, session, background } = parameters;
  const executor = await context.executor();
  const request = {
    cells,
    timeout: background ? timeout : Math.min(LONGEST_TIMEOUT, Math.max(1, timeout ?? DEFAULT_TIMEOUT)),
    cwd: resolve(context.cwd, cwd ?? "."),
    reset,
    name: session ?? context.session,
    environment: context.environment,
    settings: context.settings,
  };
  const result = await executor.run(request, { signal: context.signal, onUpdate: asUpdate(context) });
  return { ...result, details: { ...result.details } };
}

/** The executor spares itself the updates that nobody hears. */
function asUpdate({ onUpdate }: ToolContext) {
  if (onUpdate === undefined) return undefined;
  return (update: { content: ToolResult["content"]; details: object }) =>
    onUpdate({ content: update.content, details: { ...update.details } });
}

function asCell(cell: string | v.InferOutput<typeof Cell>): v.InferOutput<typeof Cell> {
  return typeof cell === "string" ? { code: cell } : cell;
}
