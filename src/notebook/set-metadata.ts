import { findMember, type NotebookDocument, readMembers, readValue, type Span } from "./document.ts";
import { type ContainerLayout, containerLayout, lineOf, stepOf, wholeMember } from "./layout.ts";
import { setMembers } from "./member-edits.ts";
import { type Replacement, splice } from "./splice.ts";
import { escapeStyleOf } from "./string-token.ts";
import { type ValueLayout, valueToken } from "./value-token.ts";

/** A metadata object with members set in it; what else it holds keeps its bytes. `span` is undefined where there is none yet. */
export function metadataToken(
  bytes: Buffer,
  span: Span | undefined,
  changes: Record<string, unknown>,
  value: ValueLayout,
): string {
  if (span === undefined || bytes[span.start] !== 0x7b) return valueToken(changes, value);
  const members = readMembers(bytes, span);
  const inner = { ...value, line: value.line && value.line + value.step };
  const layout = containerLayout(bytes, span, members.map(wholeMember)) ?? emptyLayout(value);
  const tokens = Object.fromEntries(
    Object.entries(changes)
      .filter(([name, change]) => !isValue(bytes, findMember(members, name), change))
      .map(([name, change]) => [name, valueToken(change, inner)]),
  );
  const object = { bytes, span, members, layout: { ...layout, colon: value.colon } };
  return Buffer.concat(splice(bytes, setMembers(object, tokens, placeSorted), span)).toString();
}

/** Sets members of the notebook's own metadata. */
export function setNotebookMetadata(document: NotebookDocument, changes: Record<string, unknown>): Replacement[] {
  const { bytes, root, members } = document;
  const layout = containerLayout(bytes, root, members.map(wholeMember)) as ContainerLayout;
  const [first] = members;
  const colon = first === undefined ? ": " : bytes.toString("latin1", first.keyEnd, first.start);
  const value = { line: lineOf(layout), step: stepOf(layout), colon, escapes: escapeStyleOf(bytes) };
  const present = findMember(members, "metadata");
  const token = metadataToken(bytes, present, changes, value);
  if (present !== undefined) return [{ start: present.start, end: present.end, text: token }];
  const end = (members.at(-1) as Span).end;
  return [{ start: end, end, text: `${layout.separator}"metadata"${colon}${token}` }];
}

/** Whether a span holds just this value. */
export function isValue(bytes: Buffer, span: Span | undefined, value: unknown): boolean {
  return span !== undefined && Bun.deepEquals(readValue(bytes, span), value);
}

function emptyLayout({ line, step }: ValueLayout): ContainerLayout {
  return line === ""
    ? { lead: "", separator: ", ", close: "" }
    : { lead: line + step, separator: `,${line}${step}`, close: line };
}

function placeSorted(names: string[], added: string): number {
  const place = names.findIndex((name) => name > added);
  return place < 0 ? names.length : place;
}
