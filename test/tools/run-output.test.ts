import { expect, test } from "bun:test";
import fc from "fast-check";
import { RunOutput } from "../../src/tools/run-output.ts";

test("reading on from the last cursor gives every character once, however it came in and was read", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string(), fc.boolean())), (steps) => {
      const output = new RunOutput();
      let cursor = 0;
      let seen = "";
      for (const [text, read] of steps) {
        output.append(text);
        if (!read) continue;
        const part = output.since(cursor);
        expect(part.missed).toBe(0);
        seen += part.text;
        cursor = part.cursor;
      }
      seen += output.since(cursor).text;
      expect(seen).toBe(steps.map(([text]) => text).join(""));
    }),
  );
});

test("a long output is bounded, says how much is gone, and splits no pair of surrogates", () => {
  const output = new RunOutput();
  const line = `${"🐦".repeat(511)}x\n`;
  for (let count = 0; count < 4096; count++) output.append(line);
  expect(output.length).toBe(4096 * line.length);
  const { text, cursor, missed } = output.since(10);
  expect(text.isWellFormed()).toBe(true);
  expect(text.length).toBeLessThanOrEqual(2 * 1024 * 1024);
  expect(missed + text.length + 10).toBe(output.length);
  expect(cursor).toBe(output.length);
  expect(output.since(cursor)).toEqual({ text: "", cursor, missed: 0 });
});
