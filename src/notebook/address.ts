import { invalidInput } from "../errors.ts";
import { cellMembers, findMember, type NotebookDocument, readValue } from "./document.ts";
import { cellIdAmbiguous, cellIndexOutOfRange, cellNotFound } from "./notebook-errors.ts";

/** Names a cell by its index, its id, or both, which must then agree. */
export interface CellAddress {
  index?: number | undefined;
  id?: string | undefined;
}

/** The index of the cell that an address names. */
export function findCell(document: NotebookDocument, address: CellAddress): number {
  if (address.id === undefined && address.index === undefined) {
    throw invalidInput("cell_index or cell_id is required", "cell_index", "pass the index or the id of the cell");
  }
  return agreedIndex(document, address, 0, document.cells.length - 1);
}

/** The index that an inserted cell will have: the one given, the one after the cell with the id, or the end. */
export function findInsertion(document: NotebookDocument, address: CellAddress): number {
  const end = document.cells.length;
  if (address.id === undefined && address.index === undefined) return end;
  return agreedIndex(document, address, 1, end);
}

/** The id of a cell, or undefined for a cell without one. */
export function cellIdAt(document: NotebookDocument, index: number): string | undefined {
  return textMember(document, index, "id");
}

/** The `cell_type` of a cell as the file has it, also one that nbformat does not know. */
export function cellTypeAt(document: NotebookDocument, index: number): string {
  return textMember(document, index, "cell_type") ?? "";
}

/** The indexes of all cells with an id. */
export function indexesOfId(document: NotebookDocument, id: string): number[] {
  return document.cells.flatMap((_, index) => (cellIdAt(document, index) === id ? [index] : []));
}

/** `offset` is how far the wanted index lies behind the cell that the id names, `last` the highest valid index. */
function agreedIndex(document: NotebookDocument, { index, id }: CellAddress, offset: number, last: number): number {
  const matches = id === undefined ? [] : indexesOfId(document, id).map((match) => match + offset);
  if (id !== undefined && matches.length === 0) throw cellNotFound(id);
  if (index === undefined) {
    if (matches.length > 1)
      throw cellIdAmbiguous(
        id as string,
        matches.map((match) => match - offset),
      );
    return matches[0] as number;
  }
  if (index < 0 || index > last) throw cellIndexOutOfRange(index, last);
  if (id !== undefined && !matches.includes(index)) {
    const hint = "pass only one of them, or read the notebook again";
    const wanted = matches.join(" or ");
    throw invalidInput(
      `cell_index ${index} and cell_id "${id}" do not agree: the id stands for ${wanted}`,
      "cell_id",
      hint,
    );
  }
  return index;
}

function textMember(document: NotebookDocument, index: number, name: string): string | undefined {
  const member = findMember(cellMembers(document, index), name);
  if (member === undefined || document.bytes[member.start] !== 0x22) return undefined;
  return readValue(document.bytes, member) as string;
}
