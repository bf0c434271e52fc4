import { readNotebook } from "../notebook/notebook-file.ts";
import { readMetadata } from "../notebook/read-cells.ts";
import { selectCells } from "../notebook/select-cells.ts";
import type { NotebookParameters } from "./notebook.ts";
import { formatRange, listCells } from "./notebook-listing.ts";
import { searchCells } from "./search-cells.ts";
import type { ToolContext, ToolResult } from "./tool.ts";

/** The `read` action of the `notebook` tool: the selected cells as content blocks and as `details.cells`. */
export async function readForModel(input: NotebookParameters, context: ToolContext): Promise<ToolResult> {
  const { notebook_path: path, outputs = "summary", range, search } = input;
  const { document, revision } = await readNotebook(path, context.cwd);
  const selected = selectCells(document, { index: input.cell_index, id: input.cell_id, range });
  const indexes = search === undefined ? selected : await searchCells(document, selected, search, context.signal);
  const { content, cells, omitted } = await listCells(document, indexes, outputs, context.settings);
  const only = indexes.length === 1 ? cells[0] : undefined;
  const total = document.cells.length;
  const kernel = kernelName(readMetadata(document));
  const found = search === undefined ? "" : `; ${indexes.length} match ${search}`;
  const about = kernel === undefined ? "" : `, kernel ${kernel}`;
  const heading = `${path}: ${total} cell${total === 1 ? "" : "s"}${about}, revision ${revision}${found}\n\n`;
  const [first, ...rest] = content;
  const text =
    first?.type === "text" ? [{ ...first, text: heading + first.text }] : [{ type: "text" as const, text: heading }];
  return {
    content: [...text, ...(first?.type === "text" ? rest : content)],
    details: {
      action: "read",
      cellIndex: only?.index ?? null,
      cellId: only?.id ?? null,
      cellType: only?.type ?? null,
      totalCells: total,
      revision,
      ...(kernel === undefined ? {} : { kernel }),
      cells,
      ...(omitted.length === 0 ? {} : { omitted: formatRange(omitted) }),
    },
    isError: false,
  };
}

function kernelName(metadata: Record<string, unknown>): string | undefined {
  const { kernelspec } = metadata as { kernelspec?: { name?: unknown } };
  return typeof kernelspec?.name === "string" ? kernelspec.name : undefined;
}
