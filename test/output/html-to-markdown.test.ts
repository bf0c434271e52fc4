import { describe, expect, test } from "bun:test";
import { htmlToMarkdown } from "../../src/output/html-to-markdown.ts";

/** A DataFrame as pandas writes it. */
const DATA_FRAME = `<div>
<style scoped>
    .dataframe tbody tr th:only-of-type { vertical-align: middle; }
</style>
<table border="1" class="dataframe">
  <thead>
    <tr style="text-align: right;"><th></th><th>snake_case</th><th>b</th></tr>
  </thead>
  <tbody>
    <tr><th>0</th><td>1|2</td><td>NaN</td></tr>
    <tr><th>1</th><td>3</td><td>x &amp; y</td></tr>
  </tbody>
</table>
<p>2 rows × 2 columns</p>
</div>`;

describe("htmlToMarkdown", () => {
  test("tables stay tables, styles and scripts go", () => {
    expect(htmlToMarkdown(`<script>alert("<table>")</script>${DATA_FRAME}`)).toBe(
      `| | snake_case | b |
| - | - | - |
| 0 | 1\\|2 | NaN |
| 1 | 3 | x & y |

2 rows × 2 columns`,
    );
  });

  test("cells that span columns or rows keep the others in their places", () => {
    const html = `<table><tr><th>a</th><th>b</th></tr><tr><td colspan=2>wide</td></tr><tr><td rowspan=2>tall</td><td>1</td></tr><tr><td>2</td></tr></table>`;
    expect(htmlToMarkdown(html)).toBe("| a | b |\n| - | - |\n| wide | |\n| tall | 1 |\n| | 2 |");
  });

  test.each([
    ["<h2>Title</h2><p>a <b>b</b> <i>c</i> <del>d</del> <code>e</code></p>", "## Title\n\na **b** *c* ~~d~~ `e`"],
    ["<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>", "- a\n  - b\n- c"],
    ['<pre><code class="language-python">x = 1\ny</code></pre>', "```python\nx = 1\ny\n```"],
    ['<a href="https://example.org">here</a>', "[here](https://example.org)"],
    ['<img src="data:image/png;base64,AAAA" alt="a plot">', "\\[a plot]"],
    ['<img src="data:image/png;base64,AAAA">', ""],
    ["a<style>b{}</style><SCRIPT src='x'>c</SCRIPT>d", "ad"],
    ["<p>never closed <b>bold", "never closed **bold**"],
    ["<script>never closed", ""],
    ["", ""],
  ])("%s", (html, markdown) => {
    expect(htmlToMarkdown(html)).toBe(markdown);
  });

  test("what nests too deeply is its text", () => {
    expect(htmlToMarkdown(`${"<div>".repeat(30_000)}deep`)).toBe("deep");
  });

  test("a table of thousands of rows takes its time with its length, not with its square", () => {
    const rows = Array.from({ length: 4000 }, (_, row) => `<tr><th>${row}</th><td>${row * 2}</td></tr>`).join("");
    const markdown = htmlToMarkdown(`<table><tr><th></th><th>x</th></tr>${rows}</table>`);
    expect(markdown.split("\n")).toHaveLength(4002);
    expect(markdown).toEndWith("| 3999 | 7998 |");
  });
});
