import { cellTypeAt } from "./address.ts";
import { type NewCell, newCellToken, placeName, sourceToken } from "./cell-tokens.ts";
import { cellMembers, findMember, type NotebookDocument, type Span } from "./document.ts";
import { cellArrayLayout, cellLayout, emptyCellArrayLead } from "./layout.ts";
import { setMembers } from "./member-edits.ts";
import { type CellType, readSource } from "./source.ts";
import type { Replacement } from "./splice.ts";

/** Replaces a cell's source; the lines that stay keep their spelling. Nothing to do where the text is the same. */
export function editSource(document: NotebookDocument, index: number, content: string): Replacement[] {
  const { bytes } = document;
  const members = cellMembers(document, index);
  if (readSource(bytes, members) === content) return [];
  const layout = cellLayout(document, index);
  const object = { bytes, span: document.cells[index] as Span, members, layout };
  const source = sourceToken(document, index, layout, findMember(members, "source"), content);
  return setMembers(object, { source }, (names) => names.length);
}

/** Inserts a cell before the one at `index`, or at the end. */
export function insertCell(document: NotebookDocument, index: number, cell: NewCell): Replacement[] {
  const { cells, cellArray, bytes } = document;
  const text = newCellToken(document, index, cell);
  const { lead, separator, close } = cellArrayLayout(document);
  const before = cells[index - 1];
  const next = cells[index];
  if (next !== undefined) {
    const between = before === undefined ? separator : bytes.toString("latin1", before.end, next.start);
    return [{ start: next.start, end: next.start, text: text + between }];
  }
  if (before === undefined) return [{ start: cellArray.end - 1, end: cellArray.end - 1, text: lead + text + close }];
  const previous = cells[index - 2];
  const between = previous === undefined ? separator : bytes.toString("latin1", previous.end, before.start);
  return [{ start: before.end, end: before.end, text: between + text }];
}

/** Removes a cell and one separator: just what inserting it there had added. */
export function deleteCell(document: NotebookDocument, index: number): Replacement[] {
  const { cells, cellArray, bytes } = document;
  const cell = cells[index] as Span;
  const before = cells[index - 1];
  const next = cells[index + 1];
  if (next !== undefined) return [{ start: cell.start, end: next.start, text: "" }];
  if (before !== undefined) return [{ start: before.end, end: cell.end, text: "" }];
  const lead = bytes.toString("latin1", cellArray.start + 1, cell.start);
  const added = emptyCellArrayLead(document);
  const kept = lead.endsWith(added) ? lead.slice(0, lead.length - added.length) : "";
  return [{ start: cellArray.start + 1, end: cellArray.end - 1, text: kept }];
}

/** Moves a cell; the separators stay where they are, so that moving it back gives the same bytes. */
export function moveCell(document: NotebookDocument, from: number, to: number): Replacement[] {
  if (from === to) return [];
  const { cells, bytes } = document;
  const low = Math.min(from, to);
  const order = cells.slice(low, Math.max(from, to) + 1);
  const places = [...order];
  order.splice(to - low, 0, ...order.splice(from - low, 1));
  return order.map(({ start, end }, offset) => ({ ...(places[offset] as Span), text: bytes.subarray(start, end) }));
}

/** Changes a cell's type: a code cell has outputs and a count, another has not, and only the others have attachments. */
export function setCellType(
  document: NotebookDocument,
  index: number,
  type: CellType,
): { replacements: Replacement[]; dropped: string[] } {
  if (cellTypeAt(document, index) === type) return { replacements: [], dropped: [] };
  const { bytes } = document;
  const members = cellMembers(document, index);
  const unfit = type === "code" ? ["attachments"] : ["outputs", "execution_count"];
  const tokens: Record<string, string | undefined> = { cell_type: JSON.stringify(type) };
  for (const name of unfit) tokens[name] = undefined;
  if (type === "code" && findMember(members, "outputs") === undefined) tokens.outputs = "[]";
  if (type === "code" && findMember(members, "execution_count") === undefined) tokens.execution_count = "null";
  const object = { bytes, span: document.cells[index] as Span, members, layout: cellLayout(document, index) };
  const dropped = unfit.filter((name) => !isEmptyValue(bytes, findMember(members, name)));
  return { replacements: setMembers(object, tokens, placeName), dropped };
}

/** Empties the outputs and the execution count of one cell, as far as it has them. */
export function clearOutputs(document: NotebookDocument, index: number): Replacement[] {
  const { bytes } = document;
  const members = cellMembers(document, index);
  return [
    ["outputs", "[]"],
    ["execution_count", "null"],
  ].flatMap(([name, text]) => {
    const member = findMember(members, name as string);
    if (member === undefined || isEmptyValue(bytes, member)) return [];
    return [{ start: member.start, end: member.end, text: text as string }];
  });
}

/** An empty list or object, null, or no value at all. */
function isEmptyValue(bytes: Buffer, span: Span | undefined): boolean {
  if (span === undefined) return true;
  return (
    span.end - span.start < 1000 && /^(?:null|\[\s*\]|\{\s*\})$/.test(bytes.toString("latin1", span.start, span.end))
  );
}
