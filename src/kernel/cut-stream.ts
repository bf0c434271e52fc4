import { edenGC } from "bun:jsc";
import { parseJson } from "./parse-json.ts";

/** How long a piece of text may be, as JSON. Bytes. */
const PIECE_BYTES = 2 ** 18;
/** After so much the pieces that were read are collected: with a large message in memory the engine is in no hurry. Bytes. */
const GARBAGE_BYTES = 2 ** 22;
/** A character in UTF-8. Bytes. */
const LONGEST_CHARACTER = 4;
/** An escape in a string of JSON: `\n`, or the longest, `\u001b`. Bytes. */
const ESCAPE = 2;
const LONGEST_ESCAPE = 6;
/** A stream's content up to its text, in the order in which kernels write it. */
const HEAD = /^\{\s*"name"\s*:\s*("[^"\\]*")\s*,\s*"text"\s*:\s*"/;
const HEAD_BYTES = 64;

/**
 * Reads the content of a `stream` message and cuts it into contents whose texts make up its own. ipykernel sends in one message
 * what was printed in 0.2 s, often 20 MB, and read in one piece that would be in memory several times. Content of another form
 * is given whole.
 */
export function* cutStream(content: Uint8Array): Generator<unknown, void> {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const [head = "", name = ""] = HEAD.exec(bytes.toString("latin1", 0, HEAD_BYTES)) ?? [];
  let at = head.length;
  let collectAt = GARBAGE_BYTES;
  while (head !== "" && bytes.length - at > PIECE_BYTES) {
    let end = findCut(bytes, at, at + PIECE_BYTES);
    let text = readText(bytes.toString("utf8", at, end));
    if (text === undefined) break;
    // The first of two escapes that are one character; as UTF-8 there is no half of one.
    if ((text.charCodeAt(text.length - 1) & 0xfc00) === 0xd800) {
      text = text.slice(0, -1);
      end -= LONGEST_ESCAPE;
    }
    yield { name: JSON.parse(name), text };
    at = end;
    if (at > collectAt) {
      edenGC();
      collectAt = at + GARBAGE_BYTES;
    }
  }
  yield parseJson(head + bytes.toString("utf8", at));
}

/** The last place up to `limit` that is not within a character or an escape; `from` is such a place too. */
function findCut(bytes: Buffer, from: number, limit: number): number {
  let end = limit;
  while (end > limit - LONGEST_CHARACTER && (bytes[end]! & 0xc0) === 0x80) end--;
  const start = end - LONGEST_ESCAPE;
  const slash = start + bytes.subarray(start, end).lastIndexOf("\\");
  if (slash < start) return end;
  let first = slash;
  while (first > from && bytes[first - 1] === 0x5c) first--;
  const startsEscape = (slash - first) % 2 === 0;
  const length = bytes[slash + 1] === 0x75 ? LONGEST_ESCAPE : ESCAPE;
  return startsEscape && slash + length > end ? slash : end;
}

/** Undefined where the string ends within the piece, because the content has more than a text. */
function readText(piece: string): string | undefined {
  try {
    return JSON.parse(`"${piece}"`);
  } catch {
    return undefined;
  }
}
