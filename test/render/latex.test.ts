import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { latexToLines, latexToText, renderLatex } from "../../src/render/latex.ts";

const draw = (tex: string) => `\n${latexToLines(tex, 60).join("\n")}\n`;

describe("LaTeX on one line", () => {
  test.each([
    ["E=mc^2", "E = mc²"],
    ["x_{i+1}^{2n}", "xᵢ₊₁²ⁿ"],
    ["\\frac{a+b}{2}", "(a + b)/2"],
    ["\\sqrt[3]{x+1}", "³√(x + 1)"],
    ["\\mathbb{R}^n \\to \\mathbf{x}", "ℝⁿ → 𝐱"],
    ["\\hat{y} \\pm \\bar x", "ŷ ± x̄"],
    ["a \\not= b, c \\neq d", "a ≠ b, c ≠ d"],
    ["\\sin x + \\log(y)", "sin x + log(y)"],
    ["P \\left( A \\middle| B \\right)", "P(A|B)"],
    ["\\text{if } x > 0", "if x > 0"],
    ["\\alpha\\beta \\% \\{1\\}", "αβ%{1}"],
    ["\\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}", "(a, b; c, d)"],
    ["\\unknown{x} \\other", "\\unknown{x}\\other"],
    ["x^{\\text{th}}", "xᵗʰ"],
    ["x_{Q}", "x_Q"],
    ["f''", "f′′"],
  ])("%s is %s", (tex, text) => expect(latexToText(tex).normalize("NFC")).toBe(text.normalize("NFC")));
});

describe("LaTeX in its own shape", () => {
  test("stacks fractions and limits", () => {
    expect(draw("\\sum_{i=1}^{n} \\frac{x_i}{n} = \\lim_{h \\to 0} f(h)")).toMatchInlineSnapshot(`
      "
       n  xᵢ
       ∑  ── = lim f(h)
      i=1 n    h→0
      "
    `);
  });

  test("draws matrices and cases with tall brackets", () => {
    expect(
      draw(
        "A = \\left[\\begin{matrix}1 & 22\\\\x & \\frac{1}{y}\\end{matrix}\\right]^T, f = \\begin{cases} 1 & x > 0 \\\\ 0 & \\text{otherwise} \\end{cases}",
      ),
    ).toMatchInlineSnapshot(`
      "
          ⎡1  22⎤ᵀ
          ⎢   1 ⎥       ⎧1  x > 0
      A = ⎢x  ─ ⎥ , f = ⎩0  otherwise
          ⎣   y ⎦
      "
    `);
  });

  test("aligns equations at their signs", () => {
    expect(draw("\\begin{align} a &= b + c \\\\ long &= d \\end{align}")).toMatchInlineSnapshot(`
      "
         a = b + c
      long = d
      "
    `);
  });

  test("falls back to text where it would be too wide", () => {
    expect(latexToLines("\\frac{aaaaaaaaaaaaaaaaaaaaaaaa}{b}", 20)).toEqual(["aaaaaaaaaaaaaaaaaaaa", "aaaa/b"]);
  });

  test("draws the formulas of a text/latex output, also those in prose, and leaves the rest as it is", () => {
    expect(renderLatex("$\\displaystyle x^{2}$", 40)).toEqual(["x²"]);
    expect(renderLatex("Let \\( a^2 \\) be:\n\\[\n\\frac{a}{b}\n\\]\n", 40)).toEqual(["Let a² be:", "a", "─", "b"]);
    expect(renderLatex("\\begin{tabular}{l}a\\end{tabular}", 40)).toEqual(["\\begin{tabular}{l}a\\end{tabular}"]);
  });
});

test("any LaTeX, broken or hostile, is drawn quickly", () => {
  const token = fc.constantFrom(
    "\\frac",
    "{",
    "}",
    "^",
    "_",
    "&",
    "\\\\",
    "\\begin{cases}",
    "\\end{cases}",
    "\\left",
    "(",
    "\\right",
    "\\sqrt",
    "[",
    "]",
    "x",
    "\\text",
    "\\sum",
    "\\not",
    "\\hat",
    " ",
  );
  fc.assert(
    fc.property(fc.array(token, { maxLength: 60 }), (tokens) => {
      for (const line of latexToLines(tokens.join(""), 80)) expect(line).not.toMatch(/\n/);
    }),
    { numRuns: 2000 },
  );
  expect(latexToText("{".repeat(2000))).toBeString();
  expect(latexToText("\\frac{".repeat(800))).toBeString();
  expect(latexToText("x^".repeat(2000))).toBeString();
});
