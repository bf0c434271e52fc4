import { widthOf } from "../cells.ts";
import { pad } from "../text.ts";
import { type Box, besideBox, bracketBox, stackBox, textBox } from "./box.ts";
import type { Formula } from "./model.ts";
import { FUNCTIONS, SUBSCRIPTS, SUPERSCRIPTS } from "./symbols.ts";

const RELATIONS = /^[=<>≤≥≠≈∼≃≅≡∝≪≫≺≻⩽⩾≜∈∉∋⊂⊃⊆⊇⊨⊢⊥∥→←↔⇒⇐⇔⟶⟵⟹⟸⟺↦⟼↪:]$|^≠$/u;
const OPERATORS = /^[+−±∓×÷⋅∘⊕⊗∧∨∪∩∖]$/u;
const LARGE = /^[∑∏∐⋃⋂⨁⨂⋁⋀∫∬∭∮]$/u;
const WITH_LIMITS = /^(?:[∑∏∐⋃⋂⨁⨂⋁⋀]|lim|limsup|liminf|max|min|sup|inf|argmax|argmin|det|gcd)$/u;

/** A formula on one line, as it stands in running text. */
export function formulaText(formula: Formula): string {
  switch (formula.kind) {
    case "symbol":
      return formula.text;
    case "group":
      return joinSpaced(formula.parts.map((part) => ({ part, value: formulaText(part) }))).join("");
    case "fraction":
      return `${inParentheses(formulaText(formula.over))}/${inParentheses(formulaText(formula.under))}`;
    case "root":
      return `${formula.degree === undefined ? "" : raise(formulaText(formula.degree), SUPERSCRIPTS, "")}√${inParentheses(formulaText(formula.body))}`;
    case "script":
      return formulaText(formula.base) + scriptText(formula);
    case "accent":
      return accentText(formulaText(formula.body), formula.mark);
    case "rows":
      return rowsText(formula);
  }
}

/** A formula with fractions, limits and matrices in their own shape. */
export function formulaBox(formula: Formula): Box {
  switch (formula.kind) {
    case "group": {
      const parts = formula.parts.map((part) => ({ part, value: formulaBox(part) }));
      const spaced = joinSpaced(parts).map((piece) => (typeof piece === "string" ? textBox(piece) : piece));
      return spaced.length === 0 ? textBox("") : besideBox(spaced);
    }
    case "fraction":
      return fractionBox(formulaBox(formula.over), formulaBox(formula.under));
    case "script":
      return scriptBox(formula);
    case "rows":
      return rowsBox(formula);
    default:
      return textBox(formulaText(formula));
  }
}

function fractionBox(over: Box, under: Box): Box {
  const bar = textBox("─".repeat(Math.max(over.width, under.width)));
  return stackBox([over, bar, under], bar);
}

function scriptBox(formula: Formula & { kind: "script" }): Box {
  const base = formulaBox(formula.base);
  if (!WITH_LIMITS.test(formulaText(formula.base))) return besideBox([base, cornerBox(formula, base)]);
  const limit = (script: Formula | undefined) => (script === undefined ? [] : [textBox(tight(formulaText(script)))]);
  return stackBox([...limit(formula.above), base, ...limit(formula.below)], base);
}

/** Scripts at the upper and the lower corner of what they belong to. */
function cornerBox(formula: Formula & { kind: "script" }, base: Box): Box {
  if (base.lines.length === 1) return textBox(scriptText(formula));
  const { below, above } = formula;
  const upper = above === undefined ? "" : scriptText({ ...formula, below: undefined });
  const lower = below === undefined ? "" : scriptText({ ...formula, above: undefined });
  const width = Math.max(widthOf(upper), widthOf(lower));
  const lines = base.lines.map((_, row) => pad(row === 0 ? upper : row === base.lines.length - 1 ? lower : "", width));
  return { lines, width, base: base.base };
}

function rowsBox({ rows, open, close, align }: Formula & { kind: "rows" }): Box {
  const boxes = rows.map((row) => row.map(formulaBox));
  const count = Math.max(0, ...boxes.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, column) =>
    Math.max(0, ...boxes.map((row) => row[column]?.width ?? 0)),
  );
  const lines = boxes.map((row) =>
    besideBox(
      widths.flatMap((width, column) => {
        const gap = column === 0 ? [] : [textBox(align !== "alternate" ? "  " : column % 2 === 1 ? " " : "   ")];
        return [...gap, alignBox(row[column] ?? textBox(""), width, align, column)];
      }),
    ),
  );
  if (lines.length === 0) return textBox(open + close);
  const stacked = stackBox(lines, lines[0] as Box, "left");
  const body = lines.length === 1 ? stacked : { ...stacked, base: Math.floor(stacked.lines.length / 2) };
  return besideBox([open, body, close].map((part) => (typeof part === "string" ? tallBracket(part, body) : part)));
}

function alignBox(box: Box, width: number, align: string, column: number): Box {
  const room = width - box.width;
  const before = align === "left" ? 0 : align === "center" ? Math.floor(room / 2) : column % 2 === 0 ? room : 0;
  return besideBox([textBox(" ".repeat(before)), box, textBox(" ".repeat(room - before))]);
}

function tallBracket(bracket: string, body: Box): Box {
  return { ...bracketBox(bracket, body.lines.length), base: body.base };
}

/** Puts blanks around relations and operators, and around the names of functions. */
function joinSpaced<T>(parts: { part: Formula; value: T }[]): (T | string)[] {
  const visible = parts.map(({ part }, index) => ({ part, index })).filter(({ part }) => textOf(part).trim() !== "");
  const spaces = new Map<number, [string, string]>();
  for (const [position, { part, index }] of visible.entries()) {
    const text = part.kind === "script" ? textOf(part.base) : textOf(part);
    spaces.set(index, spacesAround(text, visible[position - 1]?.part, visible[position + 1]?.part));
  }
  return parts.flatMap(({ value }, index) => {
    const [before, after] = spaces.get(index) ?? ["", ""];
    return [before, value, after].filter((piece) => piece !== "");
  });
}

function spacesAround(text: string, before: Formula | undefined, after: Formula | undefined): [string, string] {
  const left = before === undefined ? "" : textOf(before);
  const right = after === undefined || isBracket(after) ? "" : " ";
  if (RELATIONS.test(text)) return [before === undefined ? "" : " ", after === undefined ? "" : " "];
  const unary =
    before === undefined ||
    after === undefined ||
    /^[([{,]$/.test(left) ||
    RELATIONS.test(left) ||
    OPERATORS.test(left);
  if (OPERATORS.test(text)) return unary ? ["", ""] : [" ", " "];
  if (LARGE.test(text)) return ["", right];
  if (FUNCTIONS.has(text)) return [/[\p{L}\p{N})]$/u.test(left) ? " " : "", right];
  return ["", text === "," && after !== undefined ? " " : ""];
}

function isBracket(formula: Formula): boolean {
  return formula.kind === "rows" ? formula.open !== "" : /^[([]/.test(textOf(formula));
}

function textOf(formula: Formula): string {
  return formula.kind === "symbol" ? formula.text : "x";
}

function scriptText({ below, above }: Formula & { kind: "script" }): string {
  const low = below === undefined ? "" : raise(tight(formulaText(below)), SUBSCRIPTS, "_");
  const high = above === undefined ? "" : raise(tight(formulaText(above)), SUPERSCRIPTS, "^");
  return low + high;
}

/** Raised or lowered characters where Unicode has all of them, else a caret or an underscore before the text. */
function raise(text: string, table: Readonly<Record<string, string>>, mark: string): string {
  const characters = [...text];
  if (characters.every((character) => Object.hasOwn(table, character)))
    return characters.map((character) => table[character]).join("");
  return characters.length === 1 ? mark + text : `${mark}(${text})`;
}

function tight(text: string): string {
  return text.replace(/ (?=[=<>+−±≤≥≠∈→×⋅])|(?<=[=<>+−±≤≥≠∈→×⋅,]) /gu, "");
}

function inParentheses(text: string): string {
  return /^√?[\p{L}\p{N}\p{M}⁰-₟.]*$/u.test(text) || /^[([][^()[\]]*[)\]]$/.test(text) ? text : `(${text})`;
}

function accentText(text: string, mark: string): string {
  const single = [...text].length === 1 || mark === "\u0305" || mark === "\u0332" || mark === "\u0338";
  return single ? [...text].map((character) => character + mark).join("") : `${text}${mark}`;
}

function rowsText({ rows, open, close }: Formula & { kind: "rows" }): string {
  const cells = rows.map((row) => row.map(formulaText).map((text) => text.trim()));
  const separator = open === "" ? " " : ", ";
  return open + cells.map((row) => row.filter((cell) => cell !== "").join(separator)).join("; ") + close;
}
