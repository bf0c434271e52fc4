import type { Span } from "./document.ts";

/** New bytes for a stretch of the old ones; an empty stretch is an insertion. */
export interface Replacement extends Span {
  text: string | Buffer;
}

/** The bytes after the replacements, as pieces of the old bytes and new ones between them; nothing large is copied. */
export function splice(bytes: Buffer, replacements: readonly Replacement[]): Buffer[] {
  const pieces: Buffer[] = [];
  let at = 0;
  for (const { start, end, text } of replacements.toSorted((a, b) => a.start - b.start)) {
    if (start > at) pieces.push(bytes.subarray(at, start));
    if (text.length > 0) pieces.push(typeof text === "string" ? Buffer.from(text) : text);
    at = end;
  }
  if (at < bytes.length) pieces.push(bytes.subarray(at));
  return pieces;
}
