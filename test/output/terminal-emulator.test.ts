import { expect, test } from "bun:test";
import fc from "fast-check";
import { sanitizeText } from "../../src/output/text-sanitizer.ts";
import { Screen } from "../screen.ts";

/** What both a terminal and the sanitizer do; a terminal's screen has rows below the last one, a stream has none to move to. */
const piece = fc.oneof(
  fc.constantFrom("a", "word", "x", "漢", "字漢", "é", "e\u0301", "👍🏽", "🇩🇪", "👩‍👩‍👧", "█▌", "1234567890", "    "),
  fc.constantFrom("\n", "\r", "\r\n", "\b", "\b\b"),
  fc.constantFrom("\x1b[A", "\x1b[2A", "\x1b[3C", "\x1b[2D", "\x1b[5G", "\x1b[F"),
  fc.constantFrom("\x1b[K", "\x1b[1K", "\x1b[2K", "\x1b[J", "\x1b[31m", "\x1b[0m", "\x1b]0;t\x07", "\x1b[?25l"),
);

const withoutEnd = (rows: string[]) => {
  const trimmed = rows.map((row) => row.trimEnd());
  while (trimmed.at(-1) === "") trimmed.pop();
  return trimmed;
};

test("text comes out as a terminal emulator shows it", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 40 }), async (pieces) => {
      const text = pieces.join("");
      const screen = new Screen(400, 100);
      screen.write(text.replaceAll("\n", "\r\n"));
      expect(withoutEnd(sanitizeText(text).split("\n"))).toEqual(withoutEnd(await screen.read()));
    }),
    { numRuns: 150 },
  );
});
