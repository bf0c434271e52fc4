import core from "highlight.js/lib/core";
import { LANGUAGES } from "./languages.ts";
import { PREVIEW_LIMITS } from "./limits.ts";
import type { Role, Theme } from "./theme.ts";

/** The role of a highlight.js scope, by its first words ("CSS classes reference"); a scope that is not here looks plain. */
const ROLES: Record<string, Role> = {
  keyword: "keyword",
  built_in: "type",
  type: "type",
  literal: "number",
  number: "number",
  operator: "operator",
  regexp: "string",
  string: "string",
  symbol: "string",
  char: "string",
  variable: "variable",
  "template-variable": "variable",
  title: "function",
  "title class_": "type",
  comment: "comment",
  doctag: "comment",
  meta: "function",
  section: "heading",
  tag: "keyword",
  name: "keyword",
  attr: "variable",
  attribute: "variable",
  property: "variable",
  bullet: "accent",
  code: "string",
  emphasis: "emphasis",
  strong: "strong",
  formula: "number",
  link: "link",
  quote: "comment",
  addition: "inserted",
  deletion: "removed",
};

const ENTITIES: Record<string, string> = { "&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": '"', "&#x27;": "'" };

/** Code with colours, line for line; an unknown language, very long code, and a theme without colours give it back as it is. */
export function highlight(code: string, language: string | undefined, theme: Theme): string {
  const name = language === undefined ? undefined : findLanguage(language);
  const plain = theme.colors === "none" || code.length > PREVIEW_LIMITS.HIGHLIGHTED_CHARACTERS;
  if (name === undefined || plain) return code;
  if (core.getLanguage(name) === undefined) core.registerLanguage(name, LANGUAGES[name]!.load());
  return colorHtml(core.highlight(code, { language: name, ignoreIllegals: true }).value, theme);
}

/** The highlighter's name of a language, found by the names that kernelspecs, lexers and code fences use. */
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

/** Turns the highlighter's spans into styles; each line is styled for itself, the innermost scope that has a role wins. */
function colorHtml(html: string, theme: Theme): string {
  const roles: (Role | undefined)[] = [];
  let text = "";
  for (const [part, scope] of html.matchAll(/<span class="([^"]*)">|<\/span>|[^<]+/g)) {
    if (scope !== undefined) roles.push(roleOf(scope) ?? roles.at(-1));
    else if (part === "</span>") roles.pop();
    else text += styleLines(part, roles.at(-1), theme);
  }
  return text;
}

function styleLines(html: string, role: Role | undefined, theme: Theme): string {
  const text = html.replace(/&(?:lt|gt|amp|quot|#x27);/g, (entity) => ENTITIES[entity] ?? entity);
  if (role === undefined) return text;
  return text
    .split("\n")
    .map((line) => theme.style(role, line))
    .join("\n");
}

function roleOf(scope: string): Role | undefined {
  const words = scope.replace("hljs-", "").split(" ");
  return ROLES[words.slice(0, 2).join(" ")] ?? ROLES[words[0] as string];
}
