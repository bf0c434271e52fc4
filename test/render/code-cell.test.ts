import { describe, expect, test } from "bun:test";
import { widthOf } from "../../src/render/cells.ts";
import { renderCodeCell } from "../../src/render/code-cell.ts";
import { highlight } from "../../src/render/highlight.ts";
import { LANGUAGES } from "../../src/render/languages.ts";
import { PREVIEW_LIMITS } from "../../src/render/limits.ts";
import { createTheme } from "../../src/render/theme.ts";
import { colorContext, plainContext } from "./contexts.ts";

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line_${index + 1}`).join("\n");

describe("a code cell", () => {
  test("shows mark, title, time, numbered lines and its sections", () => {
    const cell = {
      code: "import x\nx.run()",
      title: "[1/2] load",
      status: "complete",
      durationMs: 1234,
      lineNumbers: true,
    } as const;
    const lines = renderCodeCell(
      {
        ...cell,
        sections: [
          { label: "output", lines: ["done"] },
          { label: "json", lines: [] },
        ],
      },
      plainContext(40),
    );
    expect(`\n${lines.join("\n")}\n`).toMatchInlineSnapshot(`
      "
      ╭─ ✓ [1/2] load 1.2 s
      │ 1 import x
      │ 2 x.run()
      ├─ output
      │ done
      ╰─
      "
    `);
  });

  test("is collapsed to twice the preview's lines, and shown whole when expanded", () => {
    const code = numbered(100);
    const collapsed = renderCodeCell({ code }, plainContext(40));
    expect(collapsed).toHaveLength(PREVIEW_LIMITS.COLLAPSED_LINES * 2 + 3);
    expect(collapsed.at(-2)).toBe("│ … 90 more lines");
    expect(renderCodeCell({ code }, plainContext(40, true))).toHaveLength(102);
  });

  test("wraps long lines behind their number, by columns", () => {
    const lines = renderCodeCell({ code: `${"漢".repeat(20)}\nx`, lineNumbers: true }, plainContext(24));
    expect(lines.slice(1, 4)).toEqual([`│ 1 ${"漢".repeat(10)}`, `│   ${"漢".repeat(10)}`, "│ 2 x"]);
  });

  test("bounds one huge line by its characters", () => {
    const lines = renderCodeCell({ code: `x = "${"y".repeat(5_000_000)}"`, language: "python" }, colorContext(80));
    expect(lines.length).toBeLessThan(20);
    expect(Bun.stripANSI(lines.at(-2) as string)).toMatch(/^│ … 4,95\d,\d{3} characters more$/);
  });

  test("keeps escape sequences visible and harmless, in the code as in the title", () => {
    const lines = renderCodeCell(
      { code: "a\x1b]0;t\x07\u202eb", title: "t\x1b[2J", status: "error" },
      plainContext(60),
    );
    expect(lines.slice(0, 2)).toEqual(["╭─ ✗ t", "│ a␛]0;t␇<U+202E>b"]);
  });
});

describe("highlighting", () => {
  const theme = createTheme({ colors: "truecolor" });
  const code = "a = 1 # <b> & 'c'\n'''x\ny'''\n";

  test("changes nothing but colours, in every language", () => {
    for (const language of Object.keys(LANGUAGES)) expect(Bun.stripANSI(highlight(code, language, theme))).toBe(code);
  });

  test("finds a language by the names of kernels and lexers", () => {
    for (const name of ["python3", "ipython", "R", "C#", ".net-fsharp", "Julia", "typescript", "deno"]) {
      expect(highlight('"text"', name, theme)).toContain("\x1b[");
    }
  });

  test("ends each colour with its line", () => {
    for (const line of highlight(code, "python", theme).split("\n")) {
      expect(line.lastIndexOf("\x1b[39m")).toBeGreaterThanOrEqual(line.lastIndexOf("\x1b[38"));
    }
  });

  test("leaves code as it is where there are no colours, no language, or one that is not known", () => {
    expect(highlight(code, "python", createTheme({ colors: "none" }))).toBe(code);
    expect(highlight(code, undefined, theme)).toBe(code);
    expect(highlight(code, "constructor", theme)).toBe(code);
  });
});

test("no line of a cell is wider than the terminal, from 20 to 400 columns", () => {
  const cell = {
    code: "print('漢字👩‍👩‍👧‍👦 e\u0301 עברית')\n\tindented",
    title: "漢字".repeat(120),
    status: "running",
    durationMs: 5,
  } as const;
  for (const width of [20, 21, 37, 80, 200, 400]) {
    for (const line of renderCodeCell({ ...cell, lineNumbers: true }, colorContext(width)))
      expect(widthOf(line)).toBeLessThanOrEqual(width);
  }
});
