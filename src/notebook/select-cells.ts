import { errorMessage, invalidInput } from "../errors.ts";
import { type CellAddress, findCell } from "./address.ts";
import { cellMembers, type NotebookDocument } from "./document.ts";
import { cellIndexOutOfRange } from "./notebook-errors.ts";
import { readSource } from "./source.ts";

/** Which cells to read: one by its address, those of a range, those whose source has a text; all that is given must hold. */
export interface CellSelection extends CellAddress {
  /** Indexes and ranges such as `0-3,7`; `5-` goes to the end. */
  range?: string | undefined;
  /** Plain text, or a regular expression between slashes, with flags. */
  search?: string | undefined;
}

/** The indexes of the selected cells, ascending. */
export function selectCells(document: NotebookDocument, selection: CellSelection): number[] {
  const hasAddress = selection.index !== undefined || selection.id !== undefined;
  const indexes = hasAddress
    ? [findCell(document, selection)]
    : selection.range === undefined
      ? [...document.cells.keys()]
      : parseRange(selection.range, document.cells.length);
  if (selection.search === undefined) return indexes;
  const matches = searcher(selection.search);
  return indexes.filter((index) => matches(readSource(document.bytes, cellMembers(document, index))));
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

function searcher(search: string): (source: string) => boolean {
  const pattern = /^\/(.+)\/([a-z]*)$/s.exec(search);
  if (pattern === null) return (source) => source.includes(search);
  try {
    const expression = new RegExp(pattern[1] as string, (pattern[2] as string).replace(/[gy]/g, ""));
    return (source) => expression.test(source);
  } catch (error) {
    throw invalidInput(`search is not a regular expression: ${errorMessage(error)}`, "search");
  }
}
