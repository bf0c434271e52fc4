import type { NotebookDocument, Span } from "./document.ts";
import { JsonScanner } from "./json-scanner.ts";

const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Lays a one-line notebook out as `JSON.stringify(notebook, null, 1)` does: every token stays, only white space changes. */
export function layOutOneLine({ bytes, root }: NotebookDocument): Buffer {
  const before = bytes.subarray(0, root.start);
  const after = bytes.subarray(root.end);
  const size = layOut(bytes, root, undefined);
  const laidOut = Buffer.allocUnsafeSlow(before.length + size + after.length);
  before.copy(laidOut, 0);
  layOut(bytes, root, laidOut.subarray(before.length));
  after.copy(laidOut, before.length + size);
  return laidOut;
}

/** Writes the layout of valid JSON into `out`, or only measures it. Returns its length in bytes. */
function layOut(bytes: Buffer, root: Span, out: Buffer | undefined): number {
  const scanner = new JsonScanner(bytes, root.start);
  let size = 0;
  let depth = 0;
  const write = (text: string) => {
    out?.write(text, size, "latin1");
    size += text.length;
  };
  const breakLine = () => write(`\n${" ".repeat(depth)}`);
  while (scanner.position < root.end) {
    const byte = scanner.peek();
    const start = scanner.position++;
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      write(String.fromCharCode(byte));
      if (scanner.peek() === byte + 2) {
        write(String.fromCharCode(bytes[scanner.position++] as number));
      } else {
        depth++;
        breakLine();
      }
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      depth--;
      breakLine();
      write(String.fromCharCode(byte));
    } else if (byte === COMMA) {
      write(",");
      breakLine();
    } else if (byte === COLON) {
      write(": ");
    } else {
      scanner.position = start;
      scanner.skipValue();
      if (out !== undefined) bytes.copy(out, size, start, scanner.position);
      size += scanner.position - start;
    }
  }
  return size;
}
