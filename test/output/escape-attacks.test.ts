import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { sanitizeColoredText, sanitizeText } from "../../src/output/text-sanitizer.ts";

const ESC = "\x1b";
/** What a cell may print to act on a terminal, and what may be left to see of it. */
const ATTACKS: [title: string, text: string, shown: string][] = [
  ["sets the window title", `a${ESC}]0;owned\x07b`, "ab"],
  ["sets the title with an 8-bit introducer and terminator", "a\x9d2;owned\x9cb", "ab"],
  ["reports the title back as typed input", `a${ESC}[21tb`, "ab"],
  ["writes the clipboard", `a${ESC}]52;c;cm0gLXJmIH4K\x07b`, "ab"],
  ["reads the clipboard", `a${ESC}]52;c;?${ESC}\\b`, "ab"],
  [
    "hides where a link leads",
    `${ESC}]8;;https://evil.example${ESC}\\https://bank.example${ESC}]8;;${ESC}\\`,
    "https://bank.example",
  ],
  ["asks for the device's attributes", `a${ESC}[cb${ESC}[>cb${ESC}[=c`, "abb"],
  ["asks where the cursor is", `a${ESC}[6nb`, "ab"],
  ["asks for a setting (DECRQSS)", `a${ESC}P$q"p${ESC}\\b`, "ab"],
  ["defines keys (DECUDK)", `a${ESC}P1;1|17/${"41".repeat(20)}${ESC}\\b`, "ab"],
  ["answers back on ENQ", "a\x05b", "ab"],
  ["rings the bell", "a\x07b", "ab"],
  ["switches to the other screen", `a${ESC}[?1049hb${ESC}[?1049l`, "ab"],
  ["reports the mouse", `a${ESC}[?1000h${ESC}[?1006hb`, "ab"],
  ["hides the cursor", `a${ESC}[?25lb`, "ab"],
  ["brackets what is pasted", `a${ESC}[?2004hb`, "ab"],
  ["resets the terminal", `a${ESC}cb`, "ab"],
  ["resets it softly", `a${ESC}[!pb`, "ab"],
  ["clears the screen and goes home", `a${ESC}[2J${ESC}[Hb`, "ab"],
  ["clears what was scrolled away", `a${ESC}[3Jb`, "ab"],
  ["scrolls a region", `a${ESC}[1;5r${ESC}[10S${ESC}[10Tb`, "ab"],
  ["chooses a line-drawing character set", `a${ESC}(0lqqk${ESC}(Bb`, "alqqkb"],
  ["shifts to another character set", "a\x0eb\x0fc", "abc"],
  ["saves and restores the cursor", `a${ESC}7b${ESC}8c${ESC}[sd${ESC}[ue`, "abcde"],
  ["draws a picture by Kitty's protocol", `a${ESC}_Ga=T,f=100;iVBORw0KGgo=${ESC}\\b`, "ab"],
  ["deletes files by Kitty's protocol", `a${ESC}_Gt=t,f=24;L2V0Yy9wYXNzd2Q=${ESC}\\b`, "ab"],
  ["downloads a file by iTerm2's protocol", `a${ESC}]1337;File=name=eA==;inline=0:AAAA\x07b`, "ab"],
  ["draws a picture by Sixel", `a${ESC}Pq"1;1;1;1#0~${ESC}\\b`, "ab"],
  ["passes sequences through tmux", `a${ESC}Ptmux;${ESC}${ESC}]52;c;AA==\x07${ESC}\\b`, "ab"],
  ["hides a string in PM and SOS", `a${ESC}^hidden${ESC}\\b${ESC}Xhidden${ESC}\\c`, "abc"],
  ["notifies the desktop", `a${ESC}]9;hello\x07b${ESC}]777;notify;t;b\x07c`, "abc"],
  ["changes the palette", `a${ESC}]4;1;rgb:00/00/00\x07b${ESC}]11;#000\x07c`, "abc"],
  ["makes text invisible", `a${ESC}[8mhidden${ESC}[28mb`, "ahiddenb"],
  ["puts one sequence into another", `a${ESC}[${ESC}]0;t\x07${ESC}[31mb`, "ab"],
  ["splits a sequence by controls", `a${ESC}[\x0031mb`, "a31mb"],
  ["ends a string by CAN and SUB", `a${ESC}]0;t\x18b${ESC}]0;t\x1ac`, "abc"],
  ["never ends a sequence", `a${ESC}[1;2`, "a"],
  ["never ends a string", `a${ESC}]0;title`, "a"],
  ["repeats a character", `a${ESC}[1000000bb`, "ab"],
  ["inserts a million lines", `a${ESC}[1000000Lb`, "ab"],
  ["moves up a million rows", `a\n${ESC}[1000000Ab`, "b\n"],
  ["begins a sequence by an 8-bit control", "a\xc0\x9b2Jb", "a\xc0b"],
  ["prints NUL and DEL", "a\x00b\x7fc", "abc"],
];

const PLAIN = /^[^\x00-\x08\x0b-\x1f\x7f-\x9f]*$/;
const COLOURED = /^(?:[^\x00-\x08\x0b-\x1f\x7f-\x9f]|\x1b\[[\d;:]*m)*$/;
const withoutColours = (text: string) => text.replace(/\x1b\[[\d;:]*m/g, "");

describe("an output that", () => {
  test.each(ATTACKS)("%s cannot", (_title, text, shown) => {
    expect(sanitizeText(text)).toBe(shown);
    const coloured = sanitizeColoredText(text);
    expect(coloured).toMatch(COLOURED);
    expect(withoutColours(coloured)).toBe(shown);
  });
});

describe("sanitizeColoredText", () => {
  test("keeps colours and nothing else, each line with its own", () => {
    expect(sanitizeColoredText("\x1b[1;31mred\nmore\x1b[0m plain\x1b]0;t\x07\n")).toBe(
      "\x1b[1;31mred\x1b[0m\n\x1b[1;31mmore\x1b[0m plain\n",
    );
  });

  test("keeps the colour of each cell when a part of the line is rewritten", () => {
    expect(sanitizeColoredText("\x1b[31mabcd\x1b[0m\rX\x1b[32mY\x1b[0m\n")).toBe(
      "X\x1b[32mY\x1b[0m\x1b[31mcd\x1b[0m\n",
    );
  });

  test("never takes over concealing, and ends every colour that it begins", () => {
    expect(sanitizeColoredText("a\x1b[8;31mb")).toBe("a\x1b[31mb\x1b[0m");
  });

  test("shows the same text as the plain form, whatever comes", () => {
    const piece = fc.oneof(
      fc.constantFrom(...ATTACKS.map(([, text]) => text)),
      fc.constantFrom("\r", "\n", "\b", "\x1b[A", "\x1b[K", "\x1b[3D", "word ", "漢字", "e\u0301", "\t", " "),
      fc.constantFrom("\x1b[31m", "\x1b[0m", "\x1b[1;4;38;5;9m", "\x1b[48;2;1;2;3m", "\x1b[m", "\x1b[39m"),
      fc.string({ unit: "binary", maxLength: 4 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const text = pieces.join("");
        const coloured = sanitizeColoredText(text);
        expect(coloured).toMatch(COLOURED);
        expect(withoutColours(coloured)).toBe(sanitizeText(text));
        expect(sanitizeText(text)).toMatch(PLAIN);
      }),
      { numRuns: 500 },
    );
  });
});
