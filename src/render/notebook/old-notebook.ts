import type { ShownCell } from "./notebook-lines.ts";
import { textOf } from "./stored-output.ts";

/** The cells of a notebook of nbformat 2 or 3, which lie in worksheets and have other names; undefined for anything else. */
export function readOldCells(notebook: unknown): ShownCell[] | undefined {
  const worksheets = (notebook as { worksheets?: unknown } | null)?.worksheets;
  if (!Array.isArray(worksheets)) return undefined;
  return worksheets.flatMap((sheet) => (Array.isArray(sheet?.cells) ? sheet.cells.map(readCell) : []));
}

function readCell(cell: Record<string, unknown> | null): ShownCell {
  const level = typeof cell?.level === "number" ? cell.level : 1;
  const source = textOf(cell?.input ?? cell?.source);
  const heading = cell?.cell_type === "heading";
  return {
    type: heading ? "markdown" : textOf(cell?.cell_type),
    source: heading ? `${"#".repeat(Math.max(1, Math.min(6, level)))} ${source}` : source,
    executionCount: typeof cell?.prompt_number === "number" ? cell.prompt_number : null,
    outputs: Array.isArray(cell?.outputs) ? cell.outputs : [],
  };
}
