import { widthOf } from "./cells.ts";
import { wrapColumns } from "./text.ts";
import type { Theme } from "./theme.ts";

/** How much of a text is shown: rows on the screen, and UTF-16 units before it is broken into rows. */
export interface Bounds {
  lines: number;
  characters: number;
}

/** A text as rows, head and tail kept; between them a row says how much is left out. Memory and time follow the bounds. */
export function excerpt(text: string, width: number, bounds: Bounds, theme: Theme, wrap = wrapColumns): string[] {
  if (text.length > bounds.characters) return cutText(text, width, bounds, theme, wrap);
  const rows = wrap(text, width);
  if (rows.length <= bounds.lines + 1) return rows;
  const [head, tail] = shares(bounds.lines);
  return [...rows.slice(0, head), gap(rows.length - head - tail, "line", theme, width), ...lastOf(rows, tail)];
}

/** Keeps the first `lines` of a list of rows and says how many follow; one row more than the bound is shown as it is. */
export function firstLines(rows: string[], lines: number, theme: Theme, width: number): string[] {
  if (rows.length <= lines + 1) return rows;
  return [...rows.slice(0, lines), gap(rows.length - lines, "line", theme, width)];
}

/** The rows of the first items, of as many as begin within `lines`, and a row that says how many items follow. */
export function firstItems<Item>(
  items: readonly Item[],
  draw: (item: Item) => string[],
  lines: number,
  theme: Theme,
  width: number,
): string[] {
  const rows: string[] = [];
  for (const [index, item] of items.entries()) {
    if (rows.length >= lines) return [...rows, gap(items.length - index, "output", theme, width)];
    for (const row of draw(item)) rows.push(row);
  }
  return rows;
}

function cutText(text: string, width: number, bounds: Bounds, theme: Theme, wrap: typeof wrapColumns): string[] {
  const [headShare, tailShare] = shares(bounds.characters);
  const [headLines, tailLines] = shares(bounds.lines);
  const head = wrap(text.slice(0, safeCut(text, headShare)), width).slice(0, headLines);
  const tail = lastOf(wrap(text.slice(safeCut(text, text.length - tailShare)), width), tailLines);
  const shown = [...head, ...tail].reduce((sum, row) => sum + Bun.stripANSI(row).length, 0);
  return [...head, gap(text.length - shown, "character", theme, width), ...tail];
}

/** Two thirds to the head, the rest to the tail. */
function shares(amount: number): [number, number] {
  const head = Math.ceil((amount * 2) / 3);
  return [head, amount - head];
}

function lastOf(rows: string[], count: number): string[] {
  return count === 0 ? [] : rows.slice(-count);
}

/** The nearest place at or before `index` that splits neither a surrogate pair, nor a colour sequence, nor a CRLF. */
export function safeCut(text: string, index: number): number {
  const start = text.lastIndexOf("\x1b", index - 1);
  if (start >= 0 && index - start < 80 && !text.slice(start, index).includes("m")) return start;
  const low = text.charCodeAt(index);
  return low >= 0xdc00 && low <= 0xdfff ? index - 1 : index;
}

function gap(count: number, unit: string, theme: Theme, width: number): string {
  const long = `… ${count.toLocaleString("en")} more ${unit}${count === 1 ? "" : "s"}`;
  return theme.style("muted", widthOf(long) <= width ? long : `… ${count} more`);
}
