import { invalidInput } from "../errors.ts";
import type { NotebookCell } from "../notebook/read-cells.ts";
import type { RunHistory } from "./run-history.ts";

/** Which cells to run: `"0-3,7"`, a list of ids, `"from:<id>"`, `"until:<id>"`, `"stale"`, or all. Indexes do where ids do. */
export type CellSelection = string | readonly (string | number)[] | undefined;

const RANGE = /^\s*(\d+)\s*(?:(-)\s*(\d*))?\s*$/;
const EXAMPLES = 'such as "0-3,7", ["<id>"], "from:<id>", "until:<id>" or "stale"';

/** The code cells of a selection, in the notebook's order. Throws `invalid_input` for what names no cell. */
export function selectCells(
  cells: readonly NotebookCell[],
  selection: CellSelection,
  history: RunHistory,
): NotebookCell[] {
  const [only, ...others] = typeof selection === "object" ? selection : [];
  // A list of one word is that word, unless it is an id.
  const isWord = typeof only === "string" && others.length === 0 && !cells.some(({ id }) => id === only);
  const meant = isWord ? only : selection;
  if (meant === "stale") return history.findStale(cells);
  const wanted = chooseCells(cells, meant);
  return cells.filter((cell) => cell.type === "code" && wanted(cell.index));
}

function chooseCells(cells: readonly NotebookCell[], selection: CellSelection): (index: number) => boolean {
  if (selection === undefined) return () => true;
  if (typeof selection !== "string") {
    if (selection.length === 0) throw invalidInput("cells: the list is empty", "cells", EXAMPLES);
    const find = (name: string | number) =>
      typeof name === "number" ? readRange(String(name), cells.length) : findNamed(cells, name);
    const indexes = new Set(selection.flatMap(find));
    return (index) => indexes.has(index);
  }
  const [, side, name] = /^\s*(from|until):\s*(.+?)\s*$/.exec(selection) ?? [];
  if (name !== undefined) {
    const [at] = findNamed(cells, name) as [number];
    return (index) => (side === "from" ? index >= at : index <= at);
  }
  const indexes = new Set(
    selection.split(",").flatMap((part) => {
      // An id may look like an index; in a text, where indexes are usual, it is none unless there is no such cell.
      const isIndex = RANGE.test(part) && Number.parseInt(part, 10) < cells.length;
      return isIndex ? readRange(part.trim(), cells.length) : findNamed(cells, part.trim());
    }),
  );
  return (index) => indexes.has(index);
}

/** The index of the cell with the id, or else the indexes of a range, ascending. */
function findNamed(cells: readonly NotebookCell[], name: string): number[] {
  const found = cells.filter((cell) => cell.id === name).map((cell) => cell.index);
  if (found.length === 1) return found;
  if (found.length > 1) {
    const reason = `the id ${name} is that of the cells ${found.join(", ")}`;
    throw invalidInput(`cells: ${reason}`, "cells", "name cells by index, such as 0-3,7");
  }
  return readRange(name, cells.length);
}

function readRange(part: string, count: number): number[] {
  const [, first, dash, last] = RANGE.exec(part) ?? [];
  if (first === undefined) throw invalidInput(`cells: "${part}" is no id, index or range`, "cells", EXAMPLES);
  const start = Number(first);
  const end = dash === undefined ? start : last ? Number(last) : count - 1;
  if (start >= count || end >= count || end < start) {
    const valid = count === 0 ? "the notebook has no cells" : `the valid range is 0-${count - 1}`;
    throw invalidInput(`cells: ${part} is out of range; ${valid}`, "cells");
  }
  return Array.from({ length: end - start + 1 }, (_, offset) => start + offset);
}
