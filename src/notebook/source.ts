import { invalidInput } from "../errors.ts";
import { findMember, type Member, readValue } from "./document.ts";

/** The kinds of cell that nbformat 4 knows. */
export type CellType = "code" | "markdown" | "raw";

/** Splits a source as nbformat stores it: after each `\n` and nowhere else; no item is empty. */
export function splitSource(text: string): string[] {
  const lines: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf("\n", start);
    lines.push(end < 0 ? text.slice(start) : text.slice(start, end + 1));
    start = end < 0 ? text.length : end + 1;
  }
  return lines;
}

/** The text of a cell's `source`, or of any nbformat "multiline string": one string, or a list of them. */
export function joinSource(value: unknown): string {
  if (typeof value === "string") return value;
  return Array.isArray(value) ? value.filter((line) => typeof line === "string").join("") : "";
}

/** The source that counts in a cell. */
export function readSource(bytes: Buffer, members: readonly Member[]): string {
  const member = findMember(members, "source");
  return member === undefined ? "" : joinSource(readValue(bytes, member));
}

/** Replaces the one occurrence of `old`; throws `invalid_input` when it occurs never or more than once. */
export function replaceOnce(source: string, old: string, replacement: string): string {
  const count = old === "" ? 0 : occurrences(source, old);
  const at = source.indexOf(old);
  if (count === 1) return source.slice(0, at) + replacement + source.slice(at + old.length);
  const message = old === "" ? "old is empty" : `old occurs ${count} times in the source of the cell, not once`;
  const hint =
    count > 1 ? "take more of the text around it, so that it occurs once" : "read the cell, and copy the text exactly";
  throw invalidInput(message, "old", hint);
}

/** Overlapping ones count too: which of them is meant would be unclear. */
function occurrences(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) count++;
  return count;
}
