import { cleanName } from "./clean.ts";
import type { RenderContext } from "./renderer.ts";
import { truncate } from "./text.ts";

/** How far a tree is opened: levels below the root, entries of one level, rows in all. */
const COLLAPSED = { depth: 3, items: 8, lines: 40, text: 200 };
const EXPANDED = { depth: 12, items: 200, lines: 5000, text: 2000 };

interface Branch {
  bounds: typeof COLLAPSED;
  context: RenderContext;
  lines: string[];
}

/** A JSON value as a tree, one row an entry; what the bounds leave out is counted. Time and memory follow the bounds, not the value. */
export function renderJsonTree(value: unknown, context: RenderContext): string[] {
  const branch: Branch = { bounds: context.expanded ? EXPANDED : COLLAPSED, context, lines: [] };
  addRow(branch, "", summarize(value, branch));
  addEntries(value, "", 0, branch);
  return branch.lines;
}

function addEntries(value: unknown, indent: string, depth: number, branch: Branch): void {
  const { keys, total } = depth < branch.bounds.depth ? firstKeys(value, branch.bounds.items) : { keys: [], total: 0 };
  const { theme } = branch.context;
  let shown = 0;
  for (const key of keys) {
    if (branch.lines.length >= branch.bounds.lines) break;
    const entry = (value as Record<string, unknown>)[key];
    const last = ++shown === total;
    const name = Array.isArray(value) ? theme.style("muted", key) : theme.style("variable", cleanName(key));
    addRow(branch, indent + (last ? "└─ " : "├─ "), `${name}: ${summarize(entry, branch)}`);
    addEntries(entry, indent + (last ? "   " : "│  "), depth + 1, branch);
  }
  if (total > shown) addRest(indent, total - shown, branch);
}

function addRest(indent: string, count: number, branch: Branch): void {
  addRow(branch, `${indent}└─ `, branch.context.theme.style("muted", `… ${count.toLocaleString("en")} more`));
}

function addRow({ context, lines }: Branch, indent: string, text: string): void {
  lines.push(truncate(context.theme.style("muted", indent) + text, context.width));
}

/** The first keys of an object or a list, without listing all of them where there are many. */
function firstKeys(value: unknown, count: number): { keys: string[]; total: number } {
  if (Array.isArray(value)) {
    return {
      keys: Array.from({ length: Math.min(count, value.length) }, (_, index) => `${index}`),
      total: value.length,
    };
  }
  if (typeof value !== "object" || value === null) return { keys: [], total: 0 };
  const keys = Object.keys(value);
  return { keys: keys.slice(0, count), total: keys.length };
}

/** A value on one row: scalars as JSON writes them, objects and lists by their size. */
function summarize(value: unknown, { bounds, context: { theme } }: Branch): string {
  if (typeof value === "string") return theme.style("string", quote(value, bounds.text));
  if (typeof value === "number" || typeof value === "boolean") return theme.style("number", String(value));
  if (typeof value !== "object" || value === null) return theme.style("keyword", String(value));
  const [open, close, unit] = Array.isArray(value) ? ["[", "]", "item"] : ["{", "}", "key"];
  const total = firstKeys(value, 0).total;
  return theme.style("muted", total === 0 ? open + close : `${open}${count(total, unit)}${close}`);
}

function count(total: number, unit: string): string {
  return `${total.toLocaleString("en")} ${unit}${total === 1 ? "" : "s"}`;
}

function quote(text: string, limit: number): string {
  const short = text.length > limit ? `${text.slice(0, limit)}…` : text;
  return cleanName(JSON.stringify(short));
}
