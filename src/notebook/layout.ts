import { cellMembers, findMember, type Member, type NotebookDocument, readElements, type Span } from "./document.ts";

/** How the elements of a container stand: what comes before the first, between two (the comma included), after the last. */
export interface ContainerLayout {
  lead: string;
  separator: string;
  close: string;
}

/** How the members of a cell are laid out. */
export interface CellLayout extends ContainerLayout {
  /** From a key to its value, such as `: `. */
  colon: string;
  /** The names of the members in the file's order. */
  names: string[];
}

/** Cells further away than this are not asked for their layout. */
const REACH = 200;

/**
 * The layout of a container with elements; undefined for an empty one, which has none. `inline` is what separates elements on
 * one line where there are not two of them to show it.
 */
export function containerLayout(
  bytes: Buffer,
  span: Span,
  elements: readonly Span[],
  inline = ", ",
): ContainerLayout | undefined {
  const [first, second] = elements;
  const last = elements.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const lead = bytes.toString("latin1", span.start + 1, first.start);
  return {
    lead,
    separator:
      second === undefined ? (isBroken(lead) ? `,${lead}` : inline) : bytes.toString("latin1", first.end, second.start),
    close: bytes.toString("latin1", last.end, span.end - 1),
  };
}

/** The layout of the cells in their array. */
export function cellArrayLayout(document: NotebookDocument): ContainerLayout {
  const { bytes, cellArray, cells } = document;
  return containerLayout(bytes, cellArray, cells) ?? plainLayout(document, 2);
}

/** What stands before the first cell that is put into an empty array. */
export function emptyCellArrayLead(document: NotebookDocument): string {
  return plainLayout(document, 2).lead;
}

/** The layout of the cell at `index`, or of the nearest one that has members; `type` prefers cells of that type. */
export function cellLayout(document: NotebookDocument, index: number, type?: string): CellLayout {
  const { bytes, cells } = document;
  const probe = (at: number, wanted?: string) => {
    const members = cellMembers(document, at);
    if (wanted !== undefined && cellTypeOf(bytes, members) !== wanted) return undefined;
    const colon = colonOf(bytes, members);
    const layout = containerLayout(bytes, cells[at] as Span, members.map(wholeMember), inlineSeparator(colon));
    return layout && { ...layout, colon, names: members.map((member) => member.name) };
  };
  return (
    nearest(document, index, (at) => probe(at, type)) ??
    nearest(document, index, (at) => probe(at)) ?? {
      ...plainLayout(document, 3),
      colon: colonOf(bytes, document.members),
      names: [],
    }
  );
}

/** The layout of the list of source lines in the cell at `index`; `cell` is that cell's own layout. */
export function sourceLayout(document: NotebookDocument, index: number, cell: CellLayout): ContainerLayout {
  const { bytes } = document;
  const inline = inlineSeparator(cell.colon);
  const probe = (at: number) => {
    const source = findMember(cellMembers(document, at), "source");
    if (source === undefined || bytes[source.start] !== 0x5b) return undefined;
    return containerLayout(bytes, source, readElements(bytes, source), inline);
  };
  const own = document.cells[index] === undefined ? undefined : probe(index);
  if (own !== undefined) return own;
  const sample = nearest(document, index, probe);
  if (sample !== undefined && !isBroken(sample.lead)) return sample;
  if (!isBroken(cell.lead)) return { lead: "", separator: inline, close: "" };
  const line = lastLine(cell.lead);
  const lead = line + stepOf(sample ?? cell);
  return { lead, separator: `,${lead}`, close: line };
}

/** The line break and indentation that a container's elements stand behind; empty if all is on one line. */
export function lineOf(layout: ContainerLayout): string {
  return isBroken(layout.lead) ? lastLine(layout.lead) : "";
}

/** What one level of a container's elements is indented by. */
export function stepOf(layout: ContainerLayout): string {
  const inner = /[ \t]*$/.exec(layout.lead)?.[0] ?? "";
  const outer = /[ \t]*$/.exec(layout.close)?.[0] ?? "";
  return isBroken(layout.close) && inner.startsWith(outer) ? inner.slice(outer.length) : inner.slice(0, 1);
}

/** The span of a member, its key included. */
export function wholeMember(member: Member): Span {
  return { start: member.keyStart, end: member.end };
}

/** A notebook on one line: no line break between its outer braces. */
export function isOneLine(document: NotebookDocument): boolean {
  const { bytes, root } = document;
  return [10, 13].every((byte) => {
    const at = bytes.indexOf(byte, root.start);
    return at < 0 || at >= root.end;
  });
}

/** Where no cell shows its layout: `depth` levels of the notebook's own indentation. */
function plainLayout(document: NotebookDocument, depth: number): ContainerLayout {
  const root = containerLayout(document.bytes, document.root, document.members.map(wholeMember));
  if (root === undefined || !isBroken(root.lead)) return { lead: "", separator: ", ", close: "" };
  const [, newline = "\n", unit = ""] = /(\r?\n|\r)([ \t]*)$/.exec(root.lead) ?? [];
  const lead = newline + unit.repeat(depth);
  return { lead, separator: `,${lead}`, close: newline + unit.repeat(depth - 1) };
}

/** Asks cells for something, the nearest first, of two as near the later one first. */
function nearest<T>(document: NotebookDocument, index: number, probe: (at: number) => T | undefined): T | undefined {
  const last = document.cells.length - 1;
  const center = Math.max(0, Math.min(index, last));
  for (let distance = 0; distance <= Math.min(last, REACH); distance++) {
    for (const at of distance === 0 ? [center] : [center + distance, center - distance]) {
      const found = at >= 0 && at <= last ? probe(at) : undefined;
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function isBroken(space: string): boolean {
  return /[\r\n]/.test(space);
}

/** The last line break of white space, and the indentation after it. */
function lastLine(space: string): string {
  return /(?:\r?\n|\r)[ \t]*$/.exec(space)?.[0] ?? space;
}

/** Who puts a space after a colon puts one after a comma too. */
function inlineSeparator(colon: string): string {
  return colon.endsWith(" ") ? ", " : ",";
}

function colonOf(bytes: Buffer, members: readonly Member[]): string {
  const first = members[0];
  return first === undefined ? ": " : bytes.toString("latin1", first.keyEnd, first.start);
}

function cellTypeOf(bytes: Buffer, members: readonly Member[]): string {
  const type = findMember(members, "cell_type");
  return type === undefined ? "" : bytes.toString("utf8", type.start + 1, type.end - 1);
}
