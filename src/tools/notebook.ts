import * as v from "valibot";
import { planAction } from "../notebook/actions.ts";
import { changeNotebook } from "../notebook/notebook-file.ts";
import type { Tool, ToolContext, ToolResult } from "./tool.ts";

const ACTIONS = ["edit", "insert", "delete", "move"] as const;
const CELL_TYPES = ["code", "markdown", "raw"] as const;
const index = (text: string) => v.optional(v.pipe(v.number(), v.integer("a whole number"), v.description(text)));
const text = (description: string) => v.optional(v.pipe(v.string(), v.description(description)));

const NotebookInput = v.strictObject({
  action: v.pipe(v.picklist(ACTIONS), v.description("What to do")),
  notebook_path: v.pipe(
    v.string(),
    v.nonEmpty("a path"),
    v.description("Path of the .ipynb file, absolute or relative to the working directory"),
  ),
  cell_index: index("0-based index of the cell; for insert, the index the new cell will have"),
  cell_id: text("Id of the cell; for insert, the new cell goes right after it"),
  content: text("The cell's whole new source, as plain text"),
  cell_type: v.optional(v.pipe(v.picklist(CELL_TYPES), v.description("Type of an inserted cell (default code)"))),
  to_index: index("For move: the index the cell will have"),
  if_revision: text("Refuse the change unless the file still has this revision"),
  force: v.optional(v.pipe(v.boolean(), v.description("Write a file that is marked read-only"))),
});

/** The `notebook` tool: deterministic, lossless editing of `.ipynb` files; it never starts a kernel. */
export const notebookTool: Tool<typeof NotebookInput, ToolContext> = {
  name: "notebook",
  title: "Edit a notebook",
  description:
    "Edits Jupyter notebooks (.ipynb) cell by cell. Only the bytes of the change are touched; nothing is executed.",
  input: NotebookInput,
  aliases: {
    source: "content",
    new_source: "content",
    path: "notebook_path",
    index: "cell_index",
  },
  run: runNotebookTool,
};

async function runNotebookTool(input: v.InferOutput<typeof NotebookInput>, context: ToolContext): Promise<ToolResult> {
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
      signal: context.signal,
    },
    (document) =>
      planAction(document, {
        action: input.action,
        index: input.cell_index,
        id: input.cell_id,
        content: input.content,
        cellType: input.cell_type,
        toIndex: input.to_index,
      }),
  );
  return {
    content: [{ type: "text", text: `${text} ${input.notebook_path} has ${facts.totalCells} cells.` }],
    details: { action: input.action, ...facts },
    isError: false,
  };
}
