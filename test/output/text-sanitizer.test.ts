import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { sanitizeText, TextSanitizer } from "../../src/output/text-sanitizer.ts";

/** Pieces of terminal output: text of every width, everything that moves the cursor, sequences whole and broken. */
const piece = fc.oneof(
  fc.constantFrom(
    "a",
    "hello",
    " ",
    "\t",
    "é",
    "e\u0301",
    "漢字",
    "👩‍👩‍👧",
    "🇩🇪",
    "👍🏽",
    "█▌",
    "\u200d",
    "\ud83d",
    "\ude00",
    "x".repeat(5000),
  ),
  fc.constantFrom("\n", "\n", "\r", "\r\n", "\b", "\n".repeat(150), "line\n".repeat(30)),
  fc.constantFrom(
    "\x1b[A",
    "\x1b[2A",
    "\x1b[B",
    "\x1b[3C",
    "\x1b[2D",
    "\x1b[5G",
    "\x1b[F",
    "\x1b[E",
    "\x1bM",
    "\x1b[200A",
  ),
  fc.constantFrom("\x1b[K", "\x1b[1K", "\x1b[2K", "\x1b[J", "\x1b[2J", "\x1b[H", "\x1b[31m", "\x1b[0m", "\x1b[38;5;1m"),
  fc.constantFrom(
    "\x1b]0;title\x07",
    "\x1b]8;;u\x1b\\",
    "\x1bPq#0\x1b\\",
    "\x1b_G\x1b\\",
    "\x1b]52;c;",
    "\x1b[",
    "\x1b",
    "\x9b1A",
    "\x9dx\x9c",
    "\x07",
  ),
  fc.string({ unit: "binary", maxLength: 8 }),
);
const stream = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(""));
const cuts = fc.array(fc.nat({ max: 40 }), { minLength: 1, maxLength: 12 });

function sanitizeCut(text: string, sizes: number[]): string {
  const sanitizer = new TextSanitizer();
  let out = "";
  for (let at = 0, turn = 0; at < text.length; turn++) {
    const size = 1 + (sizes[turn % sizes.length] as number);
    out += sanitizer.write(text.slice(at, at + size));
    at += size;
  }
  return out + sanitizer.finish();
}

describe("sanitizeText", () => {
  test("gives the same text however the stream is cut", () => {
    fc.assert(
      fc.property(stream, cuts, (text, sizes) => {
        expect(sanitizeCut(text, sizes)).toBe(sanitizeText(text));
      }),
      { numRuns: 1500 },
    );
  });

  test("gives the same text however the bytes are cut", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), cuts, (bytes, sizes) => {
        const sanitizer = new TextSanitizer();
        let out = "";
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const size = 1 + (sizes[turn % sizes.length] as number);
          out += sanitizer.write(bytes.subarray(at, at + size));
          at += size;
        }
        const whole = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
        expect(out + sanitizer.finish()).toBe(sanitizeText(whole));
      }),
    );
  });

  test("leaves no control character and no broken surrogate in any text", () => {
    fc.assert(
      fc.property(stream, (text) => {
        const clean = sanitizeText(text);
        expect(clean).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
        expect(clean.isWellFormed()).toBe(true);
        expect(sanitizeText(clean)).toBe(clean);
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ["a carriage return starts the line over", "abcdef\rXY\n", "XYcdef\n"],
    ["CRLF becomes LF", "one\r\ntwo\r\n", "one\ntwo\n"],
    ["a backspace goes back one cell", "abc\b\bX", "aXc"],
    ["erasing a line removes what a shorter update left", "100 %\r\x1b[K50 %", "50 %"],
    ["the blanks that cleared a line are not kept", "\rworking\r       \rdone\n", "done\n"],
    ["the cursor goes up to rewrite a line", "one\ntwo\x1b[1A\rONE\n", "ONE\ntwo"],
    ["erasing below removes the lines there", "a\nb\nc\x1b[2A\r\x1b[Jz", "z"],
    ["colours go", "\x1b[1;31mred\x1b[0m \x1b[38:2::1:2:3mrgb\x1b[m", "red rgb"],
    ["links keep their text alone", "see \x1b]8;;https://example.org\x1b\\here\x1b]8;;\x1b\\!", "see here!"],
    [
      "titles, clipboard writes and private strings go",
      "a\x1b]0;t\x07b\x1b]52;c;AA==\x07c\x1b_G\x1b\\d\x1bPq\x1b\\e\x1b^x\x1b\\f",
      "abcdef",
    ],
    ["8-bit controls go as well", "a\x9b31mb\x9d0;t\x9cc\x85d", "abcd"],
    ["clearing the screen and absolute positions hide nothing", "before\x1b[2J\x1b[Hafter", "beforeafter"],
    ["tabs and newlines stay", "a\tb\n\n", "a\tb\n\n"],
    ["half a wide character becomes a blank", "漢字\rx", "x 字"],
    ["lone surrogates become U+FFFD", "a\ud800b\udc00", "a\ufffdb\ufffd"],
    ["an unfinished sequence at the end goes", "a\x1b[3", "a"],
  ])("%s", (_title, text, clean) => {
    expect(sanitizeText(text)).toBe(clean);
  });

  test("a progress bar of 10,000 updates is its last line", () => {
    let text = "";
    for (let step = 1; step <= 10_000; step++) text += `\r${step / 100}%|${"█".repeat(step / 1000)}| ${step}/10000`;
    expect(sanitizeText(`${text}\ndone\n`)).toBe("100%|██████████| 10000/10000\ndone\n");
  });

  test("nested bars that move the cursor up are one line each", () => {
    let text = "\router 0/100";
    for (let outer = 1; outer <= 100; outer++) {
      for (let inner = 1; inner <= 10; inner++) text += `\n\rinner ${inner}/10\x1b[A`;
      text += `\router ${outer}/100`;
    }
    expect(sanitizeText(`${text}\n\n`)).toBe("outer 100/100\ninner 10/10\n");
  });

  test("what a watcher gets is the text itself while nothing is rewritten", () => {
    const sanitizer = new TextSanitizer({ live: true });
    const seen = ["a", ".", ".\n", "\x1b[31mb\x1b[0m\r\n", "c"].map((chunk) => {
      sanitizer.write(chunk);
      return sanitizer.takeLive();
    });
    expect(seen).toEqual(["a", ".", ".\n", "b\n", "c"]);
  });

  test("a watcher gets a line that is rewritten when it is complete", () => {
    const sanitizer = new TextSanitizer({ live: true });
    const seen = ["start\n", "\r 1%", "\r50%", "\r99%\nend", "\rEND", "\n"].map((chunk) => {
      sanitizer.write(chunk);
      return sanitizer.takeLive();
    });
    expect(seen).toEqual(["start\n", "", "", "99%\nend", "", "\nEND\n"]);
  });

  test("a watcher does not get what a line was before it was rewritten within one chunk", () => {
    const sanitizer = new TextSanitizer({ live: true });
    const seen = ["one\n1%\r2%\r3%\n", "a\x1b[31mred\x1b[0m\rb\n", "x\by\nz"].map((chunk) => {
      sanitizer.write(chunk);
      return sanitizer.takeLive();
    });
    expect(seen).toEqual(["one\n3%\n", "bred\n", "y\nz"]);
  });

  test("a watcher gets every line that is left at the end, in order, whatever is rewritten", () => {
    fc.assert(
      fc.property(stream, cuts, (text, sizes) => {
        const sanitizer = new TextSanitizer({ live: true });
        let whole = "";
        let live = "";
        for (let at = 0, turn = 0; at < text.length; turn++) {
          const size = 1 + (sizes[turn % sizes.length] as number);
          whole += sanitizer.write(text.slice(at, at + size));
          live += sanitizer.takeLive();
          at += size;
        }
        whole += sanitizer.finish();
        live += sanitizer.takeLive();
        const seen = live.split("\n");
        let from = 0;
        for (const line of whole.split("\n").filter((part) => part !== "")) {
          const found = seen.findIndex((part, index) => index >= from && part === line);
          expect(found, `${JSON.stringify(line)} of ${JSON.stringify(live)}`).toBeGreaterThanOrEqual(from);
          from = found + 1;
        }
        if (!/[\r\b\x1b\x9b]/.test(text)) expect(live).toBe(whole);
      }),
      { numRuns: 500 },
    );
  });
});
