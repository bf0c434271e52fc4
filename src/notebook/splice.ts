import type { Span } from "./document.ts";

/** New bytes for a stretch of the old ones; an empty stretch is an insertion. */
export interface Replacement extends Span {
  text: string | Buffer;
}

/**
 * The bytes of a span (by default all) after the replacements, as pieces of the old bytes and new ones between them; nothing
 * large is copied.
 */
export function splice(
  bytes: Buffer,
  replacements: readonly Replacement[],
  within: Span = { start: 0, end: bytes.length },
): Buffer[] {
  const pieces: Buffer[] = [];
  let at = within.start;
  for (const { start, end, text } of replacements.toSorted((a, b) => a.start - b.start)) {
    if (start > at) pieces.push(bytes.subarray(at, start));
    if (text.length > 0) pieces.push(typeof text === "string" ? Buffer.from(text) : text);
    at = end;
  }
  if (at < within.end) pieces.push(bytes.subarray(at, within.end));
  return pieces;
}

/** Whether any replacement puts other bytes in the place of the old ones. */
export function changesBytes(bytes: Buffer, replacements: readonly Replacement[]): boolean {
  return replacements.some(({ start, end, text }) => {
    const before = bytes.subarray(start, end);
    return !before.equals(typeof text === "string" ? Buffer.from(text) : text);
  });
}
