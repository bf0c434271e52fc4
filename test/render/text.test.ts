import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { widthOf } from "../../src/render/cells.ts";
import { cleanCode, cleanName, cleanText } from "../../src/render/clean.ts";
import { excerpt } from "../../src/render/excerpt.ts";
import { pad, truncate, wrapColumns, wrapWords } from "../../src/render/text.ts";
import { createTheme } from "../../src/render/theme.ts";

const PLAIN = createTheme({ colors: "none" });
const COLOURS = /\x1b\[[\d;:]*m/g;
const anything = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 120 }),
  fc
    .array(
      fc.constantFrom(
        "a",
        " ",
        "漢",
        "e\u0301",
        "👩‍👩‍👧‍👦",
        "\u200b",
        "ש",
        "م",
        "\t",
        "🇯🇵",
        "\x1b[31m",
        "\x1b[1;48;5;3m",
        "\x1b[0m",
        "\n",
        "longerword",
      ),
      { maxLength: 80 },
    )
    .map((parts) => parts.join("")),
);

describe("wrapping", () => {
  test("no row is wider than the columns, and nothing but blanks gets lost", () => {
    fc.assert(
      fc.property(
        anything,
        fc.integer({ min: 10, max: 60 }),
        fc.constantFrom(wrapColumns, wrapWords),
        (text, width, wrap) => {
          const rows = wrap(cleanText(text, true), width);
          for (const row of rows) expect(widthOf(row)).toBeLessThanOrEqual(width);
          const letters = (value: string) => value.replace(COLOURS, "").replace(/\s/g, "");
          expect(letters(rows.join(""))).toBe(letters(cleanText(text, true)));
        },
      ),
      { numRuns: 1500 },
    );
  });

  test("each row ends the colours that it opens, and the next one opens them again", () => {
    expect(wrapColumns("\x1b[31;1mabc한글def\nxx\x1b[0m y", 5)).toEqual([
      "\x1b[31;1mabc한\x1b[0m",
      "\x1b[31;1m글def\x1b[0m",
      "\x1b[31;1mxx\x1b[0m y",
    ]);
  });

  test("prose breaks between words and between wide characters, and inside a word only where it fills the row", () => {
    expect(wrapWords("The quick fox over 漢字漢字漢字 abcdefghijklmnop", 12)).toEqual([
      "The quick",
      "fox over 漢",
      "字漢字漢字",
      "abcdefghijkl",
      "mnop",
    ]);
  });

  test("a tab reaches the next multiple of eight columns", () => {
    expect(wrapColumns("a\tb\t漢\tc", 80)).toEqual(["a       b       漢      c"]);
  });
});

describe("one line", () => {
  test("is cut at a grapheme, with an ellipsis in its own colour", () => {
    expect(truncate("한글한글", 4)).toBe("한…");
    expect(truncate("\x1b[31mhello world", 6)).toBe("\x1b[31mhello…\x1b[0m");
    expect(truncate("👩‍👩‍👧‍👦👩‍👩‍👧‍👦", 3)).toBe("👩‍👩‍👧‍👦…");
    expect(truncate("short", 5)).toBe("short");
  });

  test("is filled by the columns that it shows", () => {
    expect(pad("漢\x1b[31m字\x1b[0m", 6, "right")).toBe("  漢\x1b[31m字\x1b[0m");
    expect(pad("ab", 5, "center")).toBe(" ab  ");
  });
});

describe("foreign text", () => {
  const attacks = [
    "\x1b]52;c;aGk=\x07",
    "\x1b]0;title\x1b\\",
    "\x1b]8;;http://evil\x07link\x1b]8;;\x07",
    "\x1b[2J\x1b[H",
    "\x1b[6n",
    "\x1b[?1049h",
    "\x1bPq#0\x1b\\",
    "\x1b_Gf=100;AAAA\x1b\\",
    "\x1b^x\x1b\\",
    "\x1bc",
    "\x9b2J",
    "\x9d52;c;aGk=\x9c",
    "\x90q\x9c",
    "\x07\b\x7f\0",
    "\x1b]52;c;unterminated",
    "\x1b[31",
    "\x1b",
    "\u202egnp.exe\u202c",
  ];

  test("loses everything that acts on a terminal, however it is put together", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constantFrom(...attacks, "text", "\x1b[32m"), fc.string({ unit: "binary" }))),
        (parts) => {
          for (const colors of [true, false]) {
            const clean = cleanText(parts.join(""), colors);
            expect(colors ? clean.replace(COLOURS, "") : clean).not.toMatch(
              /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]/,
            );
          }
        },
      ),
      { numRuns: 1500 },
    );
  });

  test("keeps its colours and its words", () => {
    expect(cleanText("a\x1b]0;x\x07b \x1b[1;31mred\x1b[0m\x1b[2K c\r\nd", true)).toBe("ab \x1b[1;31mred\x1b[0m c\nd");
    expect(cleanText("\x1b[31mred\x1b[0m", false)).toBe("red");
    expect(cleanText("سلام עברית", true)).toBe("سلام עברית");
    expect(cleanName(" a\nb\x1b[31m ")).toBe("a b");
  });

  test("that is code shows what would reorder or hide it", () => {
    expect(cleanCode("if a\u202e # \u2066x\x1b[2J")).toBe("if a<U+202E> # <U+2066>x␛[2J");
  });

  test("cannot conceal itself by a colour", () => {
    expect(wrapColumns("\x1b[8mhidden\x1b[0m", 20)).toEqual(["hidden"]);
  });
});

describe("an excerpt", () => {
  test("keeps head and tail of too many lines and says how many are left out", () => {
    const text = Array.from({ length: 100 }, (_, index) => `line ${index + 1}`).join("\n");
    expect(excerpt(text, 40, { lines: 6, characters: 1000 }, PLAIN)).toEqual([
      "line 1",
      "line 2",
      "line 3",
      "line 4",
      "… 94 more lines",
      "line 99",
      "line 100",
    ]);
  });

  test("bounds a single line by its characters, without splitting a character", () => {
    const rows = excerpt("👩‍🚀".repeat(1_000_000), 40, { lines: 6, characters: 3000 }, PLAIN);
    expect(rows).toHaveLength(7);
    expect(rows[4]).toMatch(/^… 4,999,\d{3} more characters$/);
    expect(rows.join("").isWellFormed()).toBe(true);
  });
});
