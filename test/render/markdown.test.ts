import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { widthOf } from "../../src/render/cells.ts";
import { parseMarkdown } from "../../src/render/markdown/parse.ts";
import { renderMarkdown } from "../../src/render/markdown.ts";
import { colorContext, plainContext } from "./contexts.ts";

const draw = (text: string, width = 60) => `\n${renderMarkdown(text, plainContext(width)).join("\n")}\n`;

describe("Markdown", () => {
  test("shows headings, emphasis, code, links with their address, quotes and rules", () => {
    expect(
      draw(
        "# Title *x*\n\nText with `code`, **bold**, [a link](http://a.example) and <http://b.example>.\n\n> quoted\n\nSub\n---\n\n***",
      ),
    ).toMatchInlineSnapshot(`
      "
      Title x
      ━━━━━━━

      Text with \`code\`, bold, a link (http://a.example) and
      http://b.example.

      ▌ quoted

      Sub
      ───

      ────────────────────────────────────────────────────────────
      "
    `);
  });

  test("shows lists with numbers, tasks, and what is nested in them", () => {
    expect(draw("3. three\n4. four\n   - inner\n\n     para\n\n- [ ] open\n- [x] done")).toMatchInlineSnapshot(`
      "
      3. three
      4. four
         • inner
           para

      ☐ open
      ☑ done
      "
    `);
  });

  test("tells a hard line break from a soft one", () => {
    expect(draw("one  \ntwo\\\nthree\nfour")).toMatchInlineSnapshot(`
      "
      one
      two
      three four
      "
    `);
  });

  test("lays out a table by the columns that its characters take, and wraps what is too long", () => {
    expect(
      draw(
        "| a | number |\n|:--|--:|\n| 漢字 | 1 |\n| 👩‍👩‍👧‍👦 | 22 |\n| e\u0301 | a long text that does not fit |",
        30,
      ),
    ).toMatchInlineSnapshot(`
      "
      a    │                  number
      ─────┼────────────────────────
      漢字 │                       1
      👩‍👩‍👧‍👦   │                      22
      é    │   a long text that does
           │                 not fit
      "
    `);
  });

  test("leaves out middle columns of a table that has too many", () => {
    const row = (cell: (index: number) => string) =>
      `|${Array.from({ length: 20 }, (_, index) => cell(index)).join("|")}|`;
    expect(
      draw([row((i) => `c${i}`), row(() => "--"), row((i) => `${i * 1000}`)].join("\n"), 40),
    ).toMatchInlineSnapshot(`
      "
      c0 │ c1   │ c2   │ … │ c18   │ c19
      ───┼──────┼──────┼───┼───────┼──────
      0  │ 1000 │ 2000 │ … │ 18000 │ 19000
      "
    `);
  });

  test("shows LaTeX as Unicode, and leaves dollars in code and in prices alone", () => {
    expect(
      draw("Let $x_i^2 \\in \\mathbb{R}$ cost $5 or `$y$`.\n\n$$\\frac{a}{b}$$\n\n```sh\necho $HOME $x$ \\\n```"),
    ).toMatchInlineSnapshot(`
      "
      Let xᵢ² ∈ ℝ cost $5 or \`$y$\`.

        a
        ─
        b

        echo $HOME $x$ \\
      "
    `);
  });

  test("shows the text of HTML, never its scripts", () => {
    expect(
      draw(
        "<div><b>bold</b><script>alert(1)</script></div>\n\nline<br>break <!-- hidden --> <img src='x.png'>\n\n<img alt='cat' src='c.png'>",
      ),
    ).toMatchInlineSnapshot(`
      "
      bold

      line
      break  [image: x.png]

      [image: cat]
      "
    `);
  });

  test("colours the code of a fence by its language", () => {
    expect(renderMarkdown("```python\nreturn 1\n```", colorContext(40)).join("\n")).toContain(
      "\x1b[38;5;176mreturn\x1b[0m",
    );
  });

  test("cannot bring a control character in by a character reference", () => {
    const text = renderMarkdown("&#27;]0;x&#7; &#155;2J &#1;0&#2; [&#27;[2J](a&#27;b) `&#27;`", plainContext(80)).join(
      "\n",
    );
    expect(text).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
  });

  test("cannot forge the parser's own marks", () => {
    expect(parseMarkdown("&#1;0&#2; and &#5;7&#6;")).toEqual([
      { kind: "paragraph", children: [{ kind: "text", text: "0 and " }] },
    ]);
  });

  test("is never wider than the terminal, however it is nested", () => {
    const part = fc.constantFrom(
      "> ",
      "- ",
      "1. ",
      "# ",
      "**",
      "`",
      "$x$",
      "|a|b|\n|-|-|\n|c|d|\n",
      "漢字",
      "word ",
      "\n",
      "\n\n",
      "    ",
      "<p>",
    );
    const texts = fc.array(part, { maxLength: 60 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(texts, fc.integer({ min: 20, max: 100 }), (text, width) => {
        for (const line of renderMarkdown(text, plainContext(width))) expect(widthOf(line)).toBeLessThanOrEqual(width);
      }),
      { numRuns: 1000 },
    );
    const deep = `${"> - ".repeat(40)}${"word ".repeat(50)}`;
    expect(Math.max(...renderMarkdown(deep, plainContext(20)).map((line) => widthOf(line)))).toBeLessThanOrEqual(20);
  });
});
