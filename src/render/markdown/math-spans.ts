/** LaTeX that was taken out of a Markdown text; `mark` stands in its place, so that Markdown cannot read it as its own. */
export interface MathSpan {
  source: string;
  tex: string;
  display: boolean;
}

const MARK = /\x05(\d+)\x06/;

/** What is looked for, in this order: code (left as it is), an escaped character (as well), then the delimiters that Jupyter knows. */
const SPANS = new RegExp(
  [
    "(?<code>^ {0,3}(`{3,}|~{3,})[^\\n]*\\n[\\s\\S]*?(?:^ {0,3}\\2[`~]* *$|(?![\\s\\S]))|(`+)(?!`)[\\s\\S]{1,5000}?(?<!`)\\3(?!`))",
    "(?<escaped>\\\\[$`])",
    "\\$\\$(?<dollars>[\\s\\S]{1,5000}?)\\$\\$",
    "\\$(?=[^\\s$])(?<dollar>(?:[^$`\\\\\\n]|\\\\[^\\n]|\\n(?!\\s*\\n)){1,1000}?)(?<=\\S)\\$(?!\\d)",
    "\\\\\\\\\\((?<round>[\\s\\S]{1,1000}?)\\\\\\\\\\)",
    "\\\\\\\\\\[(?<square>[\\s\\S]{1,5000}?)\\\\\\\\\\]",
    "(?<environment>\\\\begin\\{([a-z]{1,20}\\*?)\\}[\\s\\S]{0,5000}?\\\\end\\{\\9\\})",
  ].join("|"),
  "gm",
);

/** Takes LaTeX out of a text; its marks survive the Markdown parser. */
export function takeMath(text: string): { text: string; spans: MathSpan[] } {
  if (!/[$\\]/.test(text)) return { text, spans: [] };
  const spans: MathSpan[] = [];
  const marked = text.replace(SPANS, (source: string, ...rest: unknown[]) => {
    const groups = rest.at(-1) as Record<string, string | undefined>;
    if (groups.code !== undefined || groups.escaped !== undefined) return source;
    const display = groups.dollars ?? groups.square ?? groups.environment;
    spans.push({ source, tex: display ?? groups.dollar ?? groups.round ?? "", display: display !== undefined });
    return `\x05${spans.length - 1}\x06`;
  });
  return { text: marked, spans };
}

/** Splits a text at marks: pieces of text and spans in turn. */
export function splitMath(text: string, spans: readonly MathSpan[]): (string | MathSpan)[] {
  return text
    .split(MARK)
    .map((part, index) => (index % 2 === 0 ? part : (spans[Number(part)] ?? "")))
    .filter((part) => part !== "");
}

/** Puts the LaTeX back where it turned out to stand in code. */
export function restoreMath(text: string, spans: readonly MathSpan[]): string {
  return splitMath(text, spans)
    .map((part) => (typeof part === "string" ? part : part.source))
    .join("");
}
