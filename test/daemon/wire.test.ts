import { expect, test } from "bun:test";
import fc from "fast-check";
import { SocketWriter } from "../../src/daemon/socket-writer.ts";
import { LineReader } from "../../src/daemon/wire.ts";

/** Cuts bytes at the given places. */
function cut(bytes: Uint8Array, places: number[]): Uint8Array[] {
  const ends = [...new Set([...places.map((place) => place % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b);
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

test("values are read the same wherever the stream is cut, and no chunk is needed after its call", () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), fc.array(fc.nat()), (values, places) => {
      const bytes = new TextEncoder().encode(values.map((value) => `${JSON.stringify(value)}\n`).join(""));
      const reader = new LineReader();
      const found = cut(bytes, places).flatMap((chunk) => {
        const borrowed = chunk.slice();
        const read = reader.read(borrowed);
        borrowed.fill(0);
        return read;
      });
      expect(JSON.stringify(found)).toBe(JSON.stringify(values));
    }),
  );
});

test("a socket that takes only parts gets every byte once, in order, and its end last", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme" })), fc.array(fc.nat(7)), (lines, appetites) => {
      let taken = "";
      let ended = false;
      const decoder = new TextDecoder();
      const take = (bytes: Uint8Array, most: number) => {
        expect(ended).toBe(false);
        taken += decoder.decode(bytes.subarray(0, most), { stream: true });
        return Math.min(bytes.length, most);
      };
      const writer = new SocketWriter({
        write: (bytes) => take(bytes, appetites.shift() ?? bytes.length),
        end: () => {
          ended = true;
        },
      });
      for (const line of lines) writer.write(line);
      writer.end();
      while (!ended) writer.flush();
      expect([taken, writer.queuedBytes]).toEqual([lines.join(""), 0]);
    }),
  );
});
