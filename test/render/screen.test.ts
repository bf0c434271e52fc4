import { describe, expect, test } from "bun:test";
import { renderMarkdown } from "../../src/render/markdown.ts";
import { renderNotebook } from "../../src/render/notebook/notebook-lines.ts";
import { Screen } from "../screen.ts";
import { colorContext } from "./contexts.ts";
import { corpusNames, HAS_CORPUS, outputRendering, readCorpus } from "./corpus.ts";

/** Notebooks with text that terminals disagree about: wide, combining, right to left, colours, odd separators, formulas. */
const SHOWN = /^(02|05|25|33|35|37|40|43|61|63|76|79|S03|S04|S06|S12)-/;

/** Shows lines on a screen and tells which of them the terminal had to wrap. */
async function wrappedLines(lines: string[], columns: number): Promise<string[]> {
  const screen = new Screen(columns, 50);
  screen.terminal.options.scrollback = lines.length + 50;
  screen.write(lines.map((line) => `${line}\r\n`).join(""));
  const rows = await screen.read();
  return rows.filter((_, row) => screen.isWrapped(row));
}

describe.skipIf(!HAS_CORPUS)("on a terminal's screen", () => {
  test.each(corpusNames().filter((name) => SHOWN.test(name)))(
    "no line of %s wraps at 20, 80 and 200 columns",
    async (name) => {
      for (const columns of [20, 80, 200]) {
        const lines: string[] = [];
        for await (const block of renderNotebook(
          await readCorpus(name),
          await outputRendering(),
          colorContext(columns),
        ))
          lines.push(...block);
        expect(await wrappedLines(lines, columns)).toEqual([]);
      }
    },
  );

  test("the attacks of S04 neither answer, nor set a title, nor leave the screen, nor reach another line", async () => {
    const screen = new Screen(80, 60);
    screen.write("before\r\n");
    for await (const block of renderNotebook(
      await readCorpus("S04-terminal-injection.ipynb"),
      await outputRendering(),
      colorContext(80),
    )) {
      screen.write(block.map((line) => `${line}\r\n`).join(""));
    }
    const rows = await screen.read();
    expect(rows[0]).toBe("before");
    expect(screen.terminal.buffer.active.type).toBe("normal");
    expect({ answers: screen.answers, titles: screen.titles }).toEqual({ answers: [], titles: [] });
    expect(rows.find((row) => row.includes("colour ok"))).toBe("│ colour ok red");
  });
});

describe("on a terminal's screen", () => {
  test("the columns of a table stay in line behind wide characters, emoji and combining marks", async () => {
    const table =
      "| a | b |\n|--|--|\n| 漢字 | x |\n| 👩‍👩‍👧‍👦 | x |\n| 👍🏽🇯🇵 | x |\n| Z̵̡͓a̴l̷ | x |\n| עברית | x |\n| ⚠️ | x |";
    const screen = new Screen(40, 20);
    screen.write(
      renderMarkdown(table, colorContext(40))
        .map((line) => `${line}\r\n`)
        .join(""),
    );
    await screen.read();
    const columnOfX = (row: number) => {
      const line = screen.terminal.buffer.active.getLine(row);
      return Array.from({ length: 40 }, (_, column) => line?.getCell(column)?.getChars()).indexOf("x");
    };
    expect([2, 3, 4, 5, 6, 7].map(columnOfX)).toEqual(Array(6).fill(columnOfX(2)));
  });
});
