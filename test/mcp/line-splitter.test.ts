import { expect, test } from "bun:test";
import fc from "fast-check";
import { LineSplitter } from "../../src/mcp/line-splitter.ts";

test("lines come out the same however the bytes were cut, characters of several bytes too", () => {
  const line = fc.string({ unit: "grapheme" }).map((text) => text.replaceAll("\n", " "));
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.nat(20)), (lines, cuts) => {
      const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(""));
      const splitter = new LineSplitter();
      const found: string[] = [];
      let start = 0;
      for (const length of [...cuts, bytes.length]) {
        found.push(...splitter.push(bytes.subarray(start, start + length)));
        start = Math.min(bytes.length, start + length);
      }
      expect(found).toEqual(lines.map((text) => text.toWellFormed()));
    }),
  );
});

test("a line of 32 MB in small chunks takes linear time, and one over the limit is refused", () => {
  const splitter = new LineSplitter();
  const chunk = Buffer.alloc(64 * 1024, "x");
  for (let sent = 0; sent < 32 * 1024 * 1024; sent += chunk.length) expect(splitter.push(chunk)).toEqual([]);
  expect(splitter.push(Buffer.from("\n"))[0]?.length).toBe(32 * 1024 * 1024);
  const huge = Buffer.alloc(128 * 1024 * 1024);
  splitter.push(huge);
  splitter.push(huge);
  expect(() => splitter.push(chunk)).toThrow("longer than 268435456 bytes");
});
