import { invalidInput } from "../errors.ts";
import { type CellAddress, findCell } from "./address.ts";
import type { NotebookDocument } from "./document.ts";
import { cellIndexOutOfRange } from "./notebook-errors.ts";

/** Which cells to read: one by its address, or those of a range. */
export interface CellSelection extends CellAddress {
  /** Indexes and ranges such as `0-3,7`; `5-` goes to the end. */
  range?: string | undefined;
}

/** The indexes of the selected cells, ascending. */
export function selectCells(document: NotebookDocument, selection: CellSelection): number[] {
  const hasAddress = selection.index !== undefined || selection.id !== undefined;
  if (hasAddress) return [findCell(document, selection)];
  if (selection.range === undefined) return [...document.cells.keys()];
  return parseRange(selection.range, document.cells.length);
}

function parseRange(range: string, count: number): number[] {
  const indexes = new Set<number>();
  for (const part of range.split(",")) {
    const found = /^\s*(\d+)\s*(?:(-)\s*(\d*))?\s*$/.exec(part);
    if (found === null)
      throw invalidInput(`range "${range}" is not of the form 2-5`, "range", 'such as "2-5", "0-3,7" or "5-"');
    const first = Number(found[1]);
    const last = found[2] === undefined ? first : found[3] ? Number(found[3]) : count - 1;
    if (first >= count) throw cellIndexOutOfRange(first, count - 1, "range");
    if (last < first) throw invalidInput(`range "${range}" ends before it starts`, "range", 'such as "2-5"');
    for (let index = first; index <= Math.min(last, count - 1); index++) indexes.add(index);
  }
  return [...indexes].sort((a, b) => a - b);
}
