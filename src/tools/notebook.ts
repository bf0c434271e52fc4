import * as v from "valibot";
import { type NotebookAction, planAction } from "../notebook/actions.ts";
import { changeNotebook } from "../notebook/notebook-file.ts";
import type { Tool, ToolContext, ToolResult } from "./tool.ts";

/** What the tool does, in the order of its help. */
export const NOTEBOOK_ACTIONS = [
  "read",
  "edit",
  "insert",
  "delete",
  "replace",
  "move",
  "set_type",
  "clear_outputs",
  "create",
] as const;
const text = (description: string) => v.optional(v.pipe(v.string(), v.description(description)));
const integer = (description: string) =>
  v.optional(v.pipe(v.number(), v.integer("a whole number"), v.description(description)));
const flag = (description: string) => v.optional(v.pipe(v.boolean(), v.description(description)));

/** The parameters of a change of one cell, which run_notebook takes too. */
export const CELL_PARAMETERS = {
  cell_index: integer("0-based index of the cell; for insert, the index that the new cell will have."),
  cell_id: text("Id of the cell; for insert, the new cell goes right after it."),
  content: text("The whole new source as plain text; for replace, what takes the place of old."),
  cell_type: v.optional(
    v.pipe(
      v.picklist(["code", "markdown", "raw"]),
      v.description("For insert (default code), set_type, and the first cell of create."),
    ),
  ),
  old: text("For replace: text that occurs exactly once in the cell's source."),
  to_index: integer("For move: the index that the cell will have."),
  if_revision: text("Refuse the change unless the file still has this revision, as read reported it."),
  force: flag("Write a file that is marked read-only."),
};

const NotebookInput = v.strictObject({
  action: v.pipe(v.picklist(NOTEBOOK_ACTIONS), v.description("What to do.")),
  notebook_path: v.pipe(
    v.string(),
    v.nonEmpty("a path"),
    v.description("The .ipynb file, absolute or relative to the working directory."),
  ),
  ...CELL_PARAMETERS,
  range: text('For read: indexes such as "2-5", "0-3,7" or "5-".'),
  search: text("For read: only cells whose source has this text, or matches this /regex/."),
  outputs: v.optional(
    v.pipe(
      v.picklist(["none", "summary", "full"]),
      v.description("For read: how outputs are shown (default summary: type and size)."),
    ),
  ),
  kernel: text("For create: the name of the notebook's kernelspec (default python3)."),
  dry_run: flag("Change nothing; details.diff is what would change in the file."),
});

/** The input of the `notebook` tool, checked. */
export type NotebookParameters = v.InferOutput<typeof NotebookInput>;

/** Other names for the parameters of a change of one cell. */
export const CELL_ALIASES = {
  source: "content",
  new_source: "content",
  new_string: "content",
  old_string: "old",
  index: "cell_index",
};

/** The `notebook` tool: deterministic, lossless editing of `.ipynb` files; it never starts a kernel. */
export const notebookTool: Tool<typeof NotebookInput, ToolContext> = {
  name: "notebook",
  title: "Notebook",
  description: `Reads, edits and creates Jupyter notebooks (.ipynb), cell by cell. Use it for every change of a notebook instead of a text editor: all other bytes of the file stay. It runs nothing; run_notebook runs the notebook's cells, python runs code of your own.
- read: cells with index, id, source and a summary of outputs, and the file's revision. Read before you edit.
- edit: a cell's whole new source in content. replace: content takes the place of old, which must occur exactly once in the cell.
- insert: a new cell at cell_index, or right after cell_id, or at the end. delete, move (to_index), set_type (cell_type).
- clear_outputs: of one cell, or of all when none is named. create: a new notebook; refuses an existing file.
Name a cell by cell_id where it has one: indexes shift when cells are inserted or deleted. Edits keep outputs and change no other cell.`,
  input: NotebookInput,
  aliases: { ...CELL_ALIASES, path: "notebook_path", file_path: "notebook_path" },
  run: runNotebookTool,
};

async function runNotebookTool(input: NotebookParameters, context: ToolContext): Promise<ToolResult> {
  const { action } = input;
  if (action === "read") return await (await import("./notebook-read.ts")).readForModel(input, context);
  if (action === "create") return await (await import("./notebook-create.ts")).createForModel(input, context);
  const {
    replacements: _,
    text,
    ...facts
  } = await changeNotebook(
    {
      path: input.notebook_path,
      cwd: context.cwd,
      ifRevision: input.if_revision,
      force: input.force,
      dryRun: input.dry_run,
      review: context.reviewNotebook,
      signal: context.signal,
    },
    (document) => planAction(document, { action, ...readCellParameters(input) }),
  );
  const note = input.dry_run ? "Dry run, nothing is written: " : "";
  const count = facts.totalCells === 1 ? "1 cell" : `${facts.totalCells} cells`;
  const message = `${note}${text} ${input.notebook_path} has ${count}.`;
  return { content: [{ type: "text", text: message }], details: { action, ...facts }, isError: false };
}

/** The parameters of a change of one cell in the words of `notebook/`. */
export function readCellParameters(
  input: Pick<NotebookParameters, "cell_index" | "cell_id" | "content" | "cell_type" | "old" | "to_index">,
): Omit<NotebookAction, "action"> {
  return {
    index: input.cell_index,
    id: input.cell_id,
    content: input.content,
    cellType: input.cell_type,
    old: input.old,
    toIndex: input.to_index,
  };
}
