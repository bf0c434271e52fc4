import { createNotebook } from "../notebook/create-notebook.ts";
import type { NotebookParameters } from "./notebook.ts";
import type { ToolContext, ToolResult } from "./tool.ts";

/** The `create` action of the `notebook` tool. */
export async function createForModel(input: NotebookParameters, context: ToolContext): Promise<ToolResult> {
  const { notebook_path: path, kernel, content, cell_type: cellType, dry_run: dryRun } = input;
  const { cwd, reviewNotebook: review } = context;
  const created = await createNotebook({ path, cwd, kernel, content, cellType, dryRun, review });
  const note = dryRun ? "Dry run, nothing is written: " : "";
  const hasCell = created.totalCells > 0;
  const cells = hasCell ? `one ${cellType ?? "code"} cell` : "no cells";
  return {
    content: [{ type: "text", text: `${note}Created ${path} with ${cells}.` }],
    details: {
      action: "create",
      cellIndex: hasCell ? 0 : null,
      cellId: created.cellId,
      cellType: hasCell ? (cellType ?? "code") : null,
      totalCells: created.totalCells,
      revision: created.revision,
      ...(created.diff === undefined ? {} : { diff: created.diff }),
    },
    isError: false,
  };
}
