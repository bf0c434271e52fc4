import { expect, test } from "bun:test";
import fc from "fast-check";
import { countControls } from "../../src/notebook/control-characters.ts";
import { slicePieces } from "../../src/notebook/file-writing.ts";
import { revisionOf } from "../../src/notebook/revision.ts";
import { unifiedDiff } from "../../src/notebook/unified-diff.ts";

/** Bytes of every value, three megabytes of them, the same each time. */
function manyBytes(): Buffer {
  const bytes = Buffer.alloc(3_000_001);
  for (let at = 0, state = 7; at < bytes.length; at++) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    bytes[at] = state >>> 16;
  }
  return bytes;
}

test("control characters are counted alike in small and in large buffers, wherever they begin", () => {
  const bytes = manyBytes();
  for (const [start, end] of [
    [0, 3_000_001],
    [1, 2_999_998],
    [3, 1_500_000],
    [2, 900],
    [0, 0],
  ] as const) {
    const part = bytes.subarray(start, end);
    expect(countControls(part)).toBe(part.reduce((count, byte) => count + (byte < 0x20 ? 1 : 0), 0));
  }
});

test("the revision is of the bytes, however they are cut into pieces", () => {
  const bytes = manyBytes();
  const whole = revisionOf([bytes]);
  expect(whole).toMatch(/^[0-9a-f]{16}$/);
  const cuts = fc.array(fc.nat({ max: bytes.length }), { maxLength: 6 });
  fc.assert(
    fc.property(cuts, (at) => {
      const ends = [...at.toSorted((a, b) => a - b), bytes.length];
      const pieces = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
      expect(revisionOf(pieces)).toBe(whole);
      expect(Buffer.concat(slicePieces(pieces, 1000, 2_000_000)).equals(bytes.subarray(1000, 2_000_000))).toBe(true);
    }),
    { numRuns: 30 },
  );
  bytes[2_500_000] = (bytes[2_500_000] as number) ^ 1;
  expect(revisionOf([bytes])).not.toBe(whole);
});

test("a unified diff leads from one text to the other", () => {
  const lines = fc.array(fc.constantFrom("a\n", "b\n", "c\n", "\n", "d\n"), { maxLength: 30 });
  fc.assert(
    fc.property(lines, lines, fc.boolean(), (before, after, cut) => {
      const last = cut && after.length > 0 ? [...after.slice(0, -1), "end"] : after;
      expect(applyDiff(before, unifiedDiff(before, last))).toEqual(last);
      expect(unifiedDiff(before, before)).toBe("");
    }),
    { numRuns: 1000 },
  );
});

test("texts that have nothing in common are a diff all the same, in bounded time", () => {
  const before = Array.from({ length: 3000 }, (_, line) => `old ${line}\n`);
  const after = Array.from({ length: 3000 }, (_, line) => `new ${line}\n`);
  expect(applyDiff(before, unifiedDiff(before, after))).toEqual(after);
});

/** Applies hunks as `patch` does, checking every line that they expect. */
function applyDiff(before: readonly string[], diff: string): string[] {
  const result: string[] = [];
  let at = 0;
  for (const line of diff.replace(/\n\\ No newline at end of file\n/g, "\0").match(/[^\n\0]*[\n\0]/g) ?? []) {
    const hunk = /^@@ -(\d+)(?:,(\d+))? /.exec(line);
    const text = line.endsWith("\0") ? line.slice(1, -1) : line.slice(1);
    if (hunk) {
      const start = Number(hunk[1]) - (hunk[2] === "0" ? 0 : 1);
      result.push(...before.slice(at, start));
      at = start;
    } else if (line.startsWith("+")) {
      result.push(text);
    } else {
      expect(before[at]).toBe(text);
      if (line.startsWith(" ")) result.push(text);
      at++;
    }
  }
  return [...result, ...before.slice(at)];
}
