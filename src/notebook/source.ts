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
