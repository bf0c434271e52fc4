import { type StreamParser, StringStream } from "@codemirror/streamparser";
import { LANGUAGES } from "./languages.ts";
import { PREVIEW_LIMITS } from "./limits.ts";
import type { Role, Theme } from "./theme.ts";

/** The role of a style that a mode gives to a token; one that is not here looks plain. */
const ROLES: Record<string, Role> = {
  keyword: "keyword",
  tagName: "keyword",
  tag: "keyword",
  angleBracket: "operator",
  number: "number",
  atom: "number",
  bool: "number",
  null: "number",
  unit: "number",
  string: "string",
  character: "string",
  regexp: "string",
  escape: "string",
  monospace: "string",
  comment: "comment",
  lineComment: "comment",
  blockComment: "comment",
  docComment: "comment",
  meta: "function",
  annotation: "function",
  processingInstruction: "function",
  documentMeta: "function",
  definition: "function",
  def: "function",
  builtin: "type",
  standard: "type",
  type: "type",
  typeName: "type",
  className: "type",
  namespace: "type",
  property: "variable",
  propertyName: "variable",
  attribute: "variable",
  attributeName: "variable",
  labelName: "variable",
  macroName: "variable",
  operator: "operator",
  heading: "heading",
  header: "heading",
  strong: "strong",
  emphasis: "emphasis",
  link: "link",
  url: "link",
  list: "accent",
  inserted: "inserted",
  deleted: "removed",
};

/** Time after which the rest stays plain: a mode may take ever longer on code that nests without an end. */
const BUDGET_MS = 500;
/** Columns of a tab. */
const TAB_SIZE = 4;
/** A mode may return without a token, to change its state, this often. */
const MOST_EMPTY_TOKENS = 10;

/**
 * Code with colours, line for line. An unknown language, very long code, and a theme without colours give it back as it is; a
 * line that is too long stays plain.
 */
export function highlight(code: string, language: string | undefined, theme: Theme): string {
  const name = language === undefined ? undefined : findLanguage(language);
  const plain = theme.colors === "none" || code.length > PREVIEW_LIMITS.HIGHLIGHTED_CHARACTERS;
  if (name === undefined || plain) return code;
  const mode = LANGUAGES[name]!.load();
  const lines = code.split("\n");
  const unit = indentUnit(lines);
  const state = mode.startState?.(unit);
  const end = performance.now() + BUDGET_MS;
  const isPlain = (line: string) => line.length > PREVIEW_LIMITS.HIGHLIGHTED_LINE || performance.now() > end;
  return lines.map((line) => (isPlain(line) ? line : highlightLine(line, unit, mode, state, theme))).join("\n");
}

/** Blanks of one level: modes of languages where indentation counts take another number for an error. */
function indentUnit(lines: string[]): number {
  const widths = lines.map((line) => line.search(/[^ ]/)).filter((width) => width > 1);
  return widths.length === 0 ? TAB_SIZE : Math.min(...widths, 8);
}

/** The name of a language in the table of modes, found by the names that kernelspecs, lexers and code fences use. */
export function findLanguage(name: string): string | undefined {
  const wanted = name.toLowerCase();
  if (Object.hasOwn(LANGUAGES, wanted)) return wanted;
  return Object.keys(LANGUAGES).find((key) => LANGUAGES[key]?.names?.includes(wanted));
}

/** The language of a notebook's cell: that of its cell magic (`%%bash`, `%%writefile x.py`), else the notebook's own. */
export function cellLanguage(source: string, language: string | undefined): string | undefined {
  const magic = source.match(/^\s*(?:%%|#!)(\w+)(?:[^\n]*\.(\w+))?/);
  if (magic === null) return language;
  const [, name = "", extension = ""] = magic;
  return findLanguage(name === "writefile" || name === "file" ? extension : name) ?? language;
}

/** Tokens of a line in turn; where a mode fails, the rest of the line is plain. */
function highlightLine(line: string, unit: number, mode: StreamParser<unknown>, state: unknown, theme: Theme): string {
  const stream = new StringStream(line, TAB_SIZE, unit);
  let text = "";
  let empty = 0;
  try {
    if (line === "") mode.blankLine?.(state, unit);
    while (!stream.eol() && empty < MOST_EMPTY_TOKENS) {
      stream.start = stream.pos;
      const style = mode.token(stream, state);
      empty = stream.pos > stream.start ? 0 : empty + 1;
      const role = style ? roleOf(style) : undefined;
      text += role === undefined ? stream.current() : theme.style(role, stream.current());
    }
  } catch {
    stream.pos = stream.start;
  }
  return text + line.slice(stream.pos);
}

/** A style is names with modifiers behind dots, several between blanks; modifiers say more than the name. */
function roleOf(style: string): Role | undefined {
  for (const name of style.split(" ")) {
    const [base = "", ...modifiers] = name.split(".");
    const role = modifiers.map((modifier) => ROLES[modifier]).find((found) => found !== undefined) ?? ROLES[base];
    if (role !== undefined) return role;
  }
  return undefined;
}
