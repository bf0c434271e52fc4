import { type NotebookDocument, readElements, type Span } from "./document.ts";
import { type CellLayout, type ContainerLayout, cellLayout, lineOf, sourceLayout, stepOf } from "./layout.ts";
import { type CellType, splitSource } from "./source.ts";
import { type EscapeStyle, escapeStyleOf, stringToken } from "./string-token.ts";
import { valueToken } from "./value-token.ts";

/** Where a cell's members stand if no neighbour shows it: as nbformat writes them. */
const MEMBER_ORDER = ["cell_type", "execution_count", "id", "metadata", "outputs", "source"];

/** A new `source` list for the cell at `index`, in its own layout; a line that `source` has already keeps its spelling. */
export function sourceToken(
  document: NotebookDocument,
  index: number,
  layout: CellLayout,
  source: Span | undefined,
  content: string,
): string {
  const items = sourceLayout(document, index, layout);
  const kept = source === undefined ? new Map<string, string>() : spellings(document.bytes, source);
  const style = escapeStyleFor(document, content);
  return listToken(
    splitSource(content).map((line) => kept.get(line) ?? stringToken(line, style)),
    items,
  );
}

/** A cell to be inserted; its metadata is empty unless given. */
export interface NewCell {
  type: CellType;
  content: string;
  id: string | undefined;
  metadata?: Record<string, unknown>;
}

/** A whole new cell to stand at `index`, laid out and ordered like its neighbours. */
export function newCellToken(document: NotebookDocument, index: number, cell: NewCell): string {
  const layout = cellLayout(document, index - 1, cell.type);
  const items = sourceLayout(document, index - 1, layout);
  const style = escapeStyleFor(document, cell.content);
  const lines = splitSource(cell.content).map((line) => stringToken(line, style));
  const values: Record<string, string> = {
    cell_type: JSON.stringify(cell.type),
    ...(cell.id === undefined ? {} : { id: JSON.stringify(cell.id) }),
    metadata: valueToken(cell.metadata ?? {}, {
      line: lineOf(layout),
      step: stepOf(layout),
      colon: layout.colon,
      escapes: style,
    }),
    source: listToken(lines, items),
    ...(cell.type === "code" ? { execution_count: "null", outputs: "[]" } : {}),
  };
  return objectToken(values, layout);
}

/** Where a member that is added to a cell goes: behind the one that nbformat writes before it. */
export function placeName(names: readonly string[], added: string): number {
  const earlier = MEMBER_ORDER.slice(0, MEMBER_ORDER.indexOf(added));
  const before = earlier.findLast((name) => names.includes(name));
  return before === undefined ? 0 : names.indexOf(before) + 1;
}

/** An array of finished tokens in a layout. */
export function listToken(tokens: readonly string[], { lead, separator, close }: ContainerLayout): string {
  return tokens.length === 0 ? "[]" : `[${lead}${tokens.join(separator)}${close}]`;
}

/** The file's way to write characters beyond ASCII, asked for only when there are some. */
export function escapeStyleFor(document: NotebookDocument, content: string): EscapeStyle {
  return /[^\0-\x7f]/.test(content) ? escapeStyleOf(document.bytes) : "none";
}

/** Sorts member names as a neighbour has them; those that it lacks are placed among them. */
function orderNames(names: readonly string[], neighbour: readonly string[]): string[] {
  const ordered = [...new Set(neighbour)].filter((name) => names.includes(name));
  for (const name of MEMBER_ORDER) {
    if (names.includes(name) && !ordered.includes(name)) ordered.splice(placeName(ordered, name), 0, name);
  }
  return ordered;
}

function objectToken(values: Record<string, string>, layout: CellLayout): string {
  const { lead, separator, close, colon, names } = layout;
  const members = orderNames(Object.keys(values), names).map((name) => `"${name}"${colon}${values[name]}`);
  return `{${lead}${members.join(separator)}${close}}`;
}

/** The tokens of the present source lines by their text. */
function spellings(bytes: Buffer, source: Span): Map<string, string> {
  if (bytes[source.start] !== 0x5b) return new Map();
  const tokens = readElements(bytes, source).map(({ start, end }) => bytes.toString("utf8", start, end));
  return new Map(tokens.filter((token) => token.startsWith('"')).map((token) => [JSON.parse(token) as string, token]));
}
