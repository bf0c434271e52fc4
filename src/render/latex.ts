import { cleanText } from "./clean.ts";
import { formulaBox, formulaText } from "./latex/layout.ts";
import { parseLatex } from "./latex/parse.ts";
import { wrapWords } from "./text.ts";

/** Longer formulas are shown as they were written. */
const LONGEST = 5000;

/** LaTeX math as Unicode on one line: `\frac{\alpha}{2} x^2` becomes `α/2 x²`. */
export function latexToText(tex: string): string {
  const clean = cleanText(tex, false);
  if (clean.length > LONGEST) return clean;
  return formulaText(parseLatex(clean)).replace(/\s+/g, " ").trim();
}

/** LaTeX math in its own shape (fractions, limits, matrices), or wrapped on lines of text where the shape is too wide. */
export function latexToLines(tex: string, width: number): string[] {
  const clean = cleanText(tex, false);
  if (clean.length > LONGEST) return wrapWords(clean, width);
  const box = formulaBox(parseLatex(clean));
  if (box.width <= width) return box.lines.map((line) => line.trimEnd());
  return wrapWords(latexToText(clean), width);
}

/** A `text/latex` output: math between its delimiters; a document, a table or prose as it was written. */
export function renderLatex(source: string, width: number): string[] {
  const math = source
    .trim()
    .match(/^(?:\$\$?([\s\S]*?)\$?\$|\\\[([\s\S]*)\\\]|(\\begin\{(?!tabular|longtable)[\s\S]*))$/);
  const tex = math?.[1] ?? math?.[2] ?? math?.[3];
  return tex === undefined
    ? wrapWords(cleanText(source, false), width)
    : latexToLines(tex.replace(/^\\displaystyle/, ""), width);
}
