/** How far before and behind a cut is looked for the grapheme that it falls into, in bytes. */
const CONTEXT_BYTES = 512;

/** The last `maxBytes` of UTF-8 text or a little less: no code point and no grapheme is split. */
export function textEnd(parts: readonly Uint8Array[], maxBytes: number): string {
  const bytes = lastBytes(parts, maxBytes + CONTEXT_BYTES);
  if (bytes.length <= maxBytes) return bytes.toString();
  const start = skipContinuation(bytes, bytes.length - maxBytes);
  return bytes.toString("utf8", skipGrapheme(bytes, start));
}

function lastBytes(parts: readonly Uint8Array[], count: number): Buffer {
  let length = 0;
  let first = parts.length;
  while (first > 0 && length < count) length += (parts[--first] as Uint8Array).length;
  const bytes = Buffer.concat(parts.slice(first));
  return bytes.subarray(Math.max(0, bytes.length - count));
}

function skipContinuation(bytes: Buffer, index: number): number {
  let at = index;
  while (at < bytes.length && ((bytes[at] as number) & 0xc0) === 0x80) at++;
  return at;
}

/** The end of the grapheme that `index` falls into, or `index` where one begins. Reads from the last ASCII character on. */
function skipGrapheme(bytes: Buffer, index: number): number {
  if (index >= bytes.length || ((bytes[index] as number) < 0x80 && (bytes[index - 1] as number) < 0x80)) return index;
  let first = index - 1;
  while (first > 0 && first > index - CONTEXT_BYTES && (bytes[first] as number) >= 0x80) first--;
  first = skipContinuation(bytes, first);
  const before = bytes.toString("utf8", first, index).length;
  const end = Math.min(bytes.length, index + CONTEXT_BYTES);
  const around = bytes.toString("utf8", first, end).replace(/\ufffd+$/, "");
  const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
  const found = graphemes.segment(around).containing(before);
  if (found === undefined || found.index === before) return index;
  return first + Buffer.byteLength(around.slice(0, found.index + found.segment.length));
}
