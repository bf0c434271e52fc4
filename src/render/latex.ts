import { cleanText } from "./clean.ts";
import { formulaBox, formulaText } from "./latex/layout.ts";
import { parseLatex } from "./latex/parse.ts";
import { PREVIEW_LIMITS } from "./limits.ts";
import { splitMath, takeMath } from "./markdown/math-spans.ts";
import { wrapWords } from "./text.ts";

/** Longer formulas are shown as they were written. */
const LONGEST = 5000;
/** A formula between its delimiters, or an environment that is one. */
const FORMULA =
  /^(?:\$\$?\s*((?:[^$\\]|\\[\s\S])+?)\$?\$|\\\[([\s\S]*)\\\]|(\\begin\{(?:equation|align|gather|multline|eqnarray|math|displaymath|[a-zA-Z]*matrix|cases|split)[\s\S]*))$/;

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

/** Whether a `text/latex` output is one formula, and no prose, table or document. */
export function isFormula(source: string): boolean {
  return FORMULA.test(source.trim());
}

/** A `text/latex` output: formulas in their own shape, those in prose as text, and what is no math as it was written. */
export function renderLatex(source: string, width: number): string[] {
  const clean = cleanText(source, false).trim();
  if (clean.length > PREVIEW_LIMITS.LATEX_CHARACTERS) return wrapWords(clean, width);
  const formula = FORMULA.exec(clean);
  const tex = formula?.[1] ?? formula?.[2] ?? formula?.[3];
  if (tex !== undefined) return latexToLines(tex, width);
  const marked = clean
    .replace(/\\\(([\s\S]{1,1000}?)\\\)/g, (_, inline: string) => `$${inline.trim()}$`)
    .replace(/\\\[([\s\S]{1,5000}?)\\\]/g, (_, display: string) => `$$${display}$$`);
  const { text, spans } = takeMath(marked);
  return text.split("\n").flatMap((line) => {
    const parts = splitMath(line, spans);
    const [only] = parts;
    if (parts.length === 1 && typeof only === "object" && only.display) return latexToLines(only.tex, width);
    return wrapWords(parts.map((part) => (typeof part === "string" ? part : latexToText(part.tex))).join(""), width);
  });
}
