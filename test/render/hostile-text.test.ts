import { describe, expect, test } from "bun:test";
import { highlight } from "../../src/render/highlight.ts";
import { LANGUAGES } from "../../src/render/languages.ts";
import { renderMarkdown } from "../../src/render/markdown.ts";
import { createTheme } from "../../src/render/theme.ts";
import { colorContext } from "./contexts.ts";

/** What makes a parser that goes back and forth take the square of a text's length: the test would not end in its time. */
const MARKDOWN = [
  "> ",
  "[",
  "*",
  "`",
  "$",
  "\\(",
  "\\begin{a}",
  "<",
  "<!--",
  "<img ",
  "![](",
  "|a|b|\n|-|-|\n",
  "1. ",
  "* a\n\n",
  "&#1;",
  "~~~\n",
];
const CODE = ['"', "'", "(", "{", "\\", "/*", "<", "`", "$", "a", "1", "-", "//", "<!--", "\n"];

describe("text that was made to hang a renderer", () => {
  test.each(MARKDOWN)("Markdown of nothing but %j is drawn", (unit) => {
    const lines = renderMarkdown(unit.repeat(Math.ceil(100_000 / unit.length)), colorContext(80));
    expect(lines.length).toBeGreaterThanOrEqual(0);
  });

  test.each(Object.keys(LANGUAGES))("code in %s is coloured in bounded time and loses nothing", (language) => {
    for (const unit of CODE) {
      const code = `${unit.repeat(Math.ceil(990 / unit.length))}\n`.repeat(3);
      expect(Bun.stripANSI(highlight(code, language, createTheme({ colors: "16" })))).toBe(code);
    }
  });
});
