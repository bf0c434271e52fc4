import * as v from "valibot";
import type { NotebookRequest } from "../execute/notebook-model.ts";
import { CELL_ALIASES, CELL_PARAMETERS, readCellParameters } from "./notebook.ts";
import type { Tool, ToolContext, ToolResult } from "./tool.ts";

const seconds = (text: string) => v.optional(v.pipe(v.number(), v.minValue(0.1, "more than 0"), v.description(text)));
const flag = (text: string) => v.optional(v.pipe(v.boolean(), v.description(text)));
const text = (description: string) =>
  v.optional(v.pipe(v.string(), v.nonEmpty("not empty"), v.description(description)));

/** Seconds that one cell may take when the call says nothing. */
const CELL_TIMEOUT = 300;

const Edit = v.strictObject({
  action: v.picklist(["edit", "insert", "delete", "replace", "move", "set_type", "clear_outputs"]),
  ...CELL_PARAMETERS,
});

const RunNotebookInput = v.strictObject({
  notebook_path: v.pipe(
    v.string(),
    v.nonEmpty("a path"),
    v.description("Path of the .ipynb file, absolute or relative to the working directory"),
  ),
  cells: v.optional(
    v.pipe(
      v.union([v.string(), v.number(), v.array(v.union([v.string(), v.number()]))]),
      v.description(
        'Cells to run: "0-3,7", a list of ids, "from:<id>", "until:<id>", or "stale" (never run, or changed since); all when absent. Indexes are those after the edits',
      ),
    ),
  ),
  edit: v.optional(
    v.pipe(
      v.array(Edit),
      v.description(
        "Changes of the notebook before the run, as the tool notebook makes them, without notebook_path; in order, and all or none",
      ),
    ),
  ),
  parameters: v.optional(
    v.pipe(
      v.record(v.string(), v.unknown()),
      v.description(
        'Values by name, set in a cell right after the one with the tag "parameters" as Papermill does it; that cell runs too',
      ),
    ),
  ),
  session: text("A session by name; the notebook's own when absent"),
  restart: flag("Start with a fresh kernel"),
  timeout: seconds(`Seconds for each cell (default ${CELL_TIMEOUT}; none with background)`),
  total_timeout: seconds("Seconds for the whole run"),
  allow_errors: flag("Go on after a cell that fails"),
  save_as: text("Write into a copy at this path, with the edits and the outputs; the notebook stays as it is"),
  background: flag("Answer at once with a run id and go on running; follow it with the tool runs"),
});

/** The `run_notebook` tool: edits a notebook, runs its cells and writes their outputs into the file. */
export const runNotebookTool: Tool<typeof RunNotebookInput> = {
  name: "run_notebook",
  title: "Run a notebook",
  description: `Runs the code cells of a Jupyter notebook in order, in the notebook's own kernel, and writes their outputs and execution counts into the file after every cell; with edit it changes cells first, in the same call. Use it to run the notebook itself; to try something without changing the file use python.
- The kernel stays for the next call, so that single cells (cells) can run on what earlier ones left. restart: true runs from a fresh kernel.
- A failing cell ends the run; cells that did not run keep their outputs. Fix it with edit and go on with cells: "from:<id>" in one call.
- A run may take long: with background: true the call answers at once, and runs waits for the result.`,
  input: RunNotebookInput,
  aliases: { path: "notebook_path", file_path: "notebook_path", edits: "edit" },
  itemAliases: { edit: CELL_ALIASES },
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
  const result = await executor.runNotebook(readRequest(input, context), {
    signal: context.signal,
    onUpdate: context.onUpdate && (({ content, details }) => context.onUpdate?.({ content, details: { ...details } })),
  });
  return { ...result, details: { ...result.details } };
}

function readRequest(input: Input, context: ToolContext): NotebookRequest {
  const { cells, edit, background } = input;
  return {
    path: input.notebook_path,
    cwd: context.cwd,
    cells: typeof cells === "number" ? [cells] : cells,
    edits: edit?.map((one) => ({ action: one.action, ...readCellParameters(one) })),
    ifRevision: edit?.find((one) => one.if_revision !== undefined)?.if_revision,
    force: edit?.some((one) => one.force),
    parameters: input.parameters,
    name: input.session ?? context.session,
    restart: input.restart,
    timeout: input.timeout ?? (background ? undefined : CELL_TIMEOUT),
    totalTimeout: input.total_timeout,
    allowErrors: input.allow_errors,
    saveAs: input.save_as,
    environment: context.environment,
    settings: context.settings,
    review: context.reviewNotebook,
  };
}
