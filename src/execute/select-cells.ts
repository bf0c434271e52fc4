import { invalidInput } from "../errors.ts";
import type { NotebookCell } from "../notebook/read-cells.ts";

/** Which cells of a notebook to run: `"0-3,7"`, a list of ids, `"from:<id>"`, `"until:<id>"`, or all. */
export type CellSelection = string | readonly string[] | undefined;

/** The code cells of a selection, in the notebook's order. Throws `invalid_input` for what names no cell. */
export function selectCells(cells: readonly NotebookCell[], selection: CellSelection): NotebookCell[] {
  const wanted = chooseCells(cells, selection);
  return cells.filter((cell) => cell.type === "code" && wanted(cell.index));
}

function chooseCells(cells: readonly NotebookCell[], selection: CellSelection): (index: number) => boolean {
  if (selection === undefined) return () => true;
  if (typeof selection !== "string") {
    const indexes = new Set(selection.map((id) => findById(cells, id)));
    return (index) => indexes.has(index);
  }
  const [, side, id] = /^(from|until):(.+)$/.exec(selection) ?? [];
  if (id !== undefined) {
    const at = findById(cells, id);
    return (index) => (side === "from" ? index >= at : index <= at);
  }
  const ranges = selection.split(",").map((part) => readRange(part.trim(), cells.length));
  return (index) => ranges.some(([first, last]) => index >= first && index <= last);
}

function findById(cells: readonly NotebookCell[], id: string): number {
  const found = cells.filter((cell) => cell.id === id);
  if (found.length === 1) return (found[0] as NotebookCell).index;
  const indexes = found.map((cell) => cell.index).join(", ");
  const reason = found.length === 0 ? `no cell has the id ${id}` : `the id ${id} is that of the cells ${indexes}`;
  throw invalidInput(`cells: ${reason}`, "cells", "name cells by index, such as 0-3,7");
}

function readRange(part: string, count: number): [number, number] {
  const [, first, , last] = /^(\d+)(\s*-\s*(\d*))?$/.exec(part) ?? [];
  if (first === undefined) {
    throw invalidInput(
      `cells: "${part}" is no cell index or range`,
      "cells",
      'such as "0-3,7", "from:<id>" or "until:<id>"',
    );
  }
  const start = Number(first);
  const end = part.includes("-") ? (last ? Number(last) : count - 1) : start;
  if (start >= count || end >= count || end < start) {
    const valid = count === 0 ? "the notebook has no cells" : `the valid range is 0-${count - 1}`;
    throw invalidInput(`cells: ${part} is out of range; ${valid}`, "cells");
  }
  return [start, end];
}
