import * as v from "valibot";
import type { Tool, ToolContext, ToolResult } from "./tool.ts";

const seconds = (text: string) => v.optional(v.pipe(v.number(), v.minValue(0.1, "more than 0"), v.description(text)));
const flag = (text: string) => v.optional(v.pipe(v.boolean(), v.description(text)));
const text = (description: string) =>
  v.optional(v.pipe(v.string(), v.nonEmpty("not empty"), v.description(description)));

/** Seconds that one cell may take when the call says nothing. */
const CELL_TIMEOUT = 300;

const RunNotebookInput = v.strictObject({
  notebook_path: v.pipe(
    v.string(),
    v.nonEmpty("a path"),
    v.description("Path of the .ipynb file, absolute or relative to the working directory"),
  ),
  cells: v.optional(
    v.pipe(
      v.union([v.string(), v.array(v.string())]),
      v.description('Cells to run: "0-3,7", a list of ids, "from:<id>" or "until:<id>"; all when absent'),
    ),
  ),
  session: text("A session by name; the notebook's own when absent"),
  restart: flag("Start with a fresh kernel"),
  timeout: seconds(`Seconds for each cell (default ${CELL_TIMEOUT})`),
  total_timeout: seconds("Seconds for the whole run"),
  allow_errors: flag("Go on after a cell that fails"),
  save_as: text("Write the outputs into a copy at this path instead"),
  background: flag("Answer at once with a run id and go on running; follow it with the tool runs"),
});

/** The `run_notebook` tool: runs a notebook's cells and writes their outputs into the file. */
export const runNotebookTool: Tool<typeof RunNotebookInput> = {
  name: "run_notebook",
  title: "Run a notebook",
  description: `Runs the code cells of a Jupyter notebook in order, in the notebook's own kernel, and writes their outputs and execution counts into the file after every cell. Use it to run the notebook itself; to try something without changing the file use python.
- The kernel stays for the next call, so that single cells (cells) can run on what earlier ones left. restart: true runs from a fresh kernel.
- A failing cell ends the run; cells that did not run keep their outputs. Fix it with notebook, then go on with cells: "from:<id>".
- A run may take long: with background: true the call answers at once, and runs waits for the result.`,
  input: RunNotebookInput,
  aliases: { path: "notebook_path" },
  run: startRun,
};

type Input = v.InferOutput<typeof RunNotebookInput>;

async function startRun(input: Input, context: ToolContext): Promise<ToolResult> {
  if (input.background !== true) return await runCells(input, context);
  const origin = { tool: "run_notebook", title: input.notebook_path };
  return context.runs.start(origin, (options) => runCells(input, { ...context, ...options }));
}

async function runCells(input: Input, context: ToolContext): Promise<ToolResult> {
  const executor = await context.executor();
  const request = {
    path: input.notebook_path,
    cwd: context.cwd,
    cells: input.cells,
    name: input.session ?? context.session,
    restart: input.restart,
    timeout: input.timeout ?? CELL_TIMEOUT,
    totalTimeout: input.total_timeout,
    allowErrors: input.allow_errors,
    saveAs: input.save_as,
    environment: context.environment,
    settings: context.settings,
    review: context.reviewNotebook,
  };
  const result = await executor.runNotebook(request, {
    signal: context.signal,
    onUpdate: context.onUpdate && (({ content, details }) => context.onUpdate?.({ content, details: { ...details } })),
  });
  return { ...result, details: { ...result.details } };
}
