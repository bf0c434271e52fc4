import { widthOf } from "./cells.ts";
import type { RenderContext } from "./renderer.ts";
import { pad, wrapWords } from "./text.ts";

/** A table of styled texts; the first row is its head. */
export interface Table {
  rows: string[][];
  align?: ("left" | "center" | "right")[];
}

const SEPARATOR = 3;
const NARROWEST = 4;

/** Draws a table within the width: wide columns give way and wrap, and where there are too many the middle ones are left out. */
export function renderTable(table: Table, context: RenderContext): string[] {
  const { theme, width } = context;
  const { rows, align } = fitColumns(table, width);
  const widths = shareWidths(naturalWidths(rows), width);
  const bar = theme.style("muted", "│");
  const line = theme.style("muted", widths.map((column) => "─".repeat(column)).join("─┼─"));
  const [head = [], ...body] = rows;
  const bold = head.map((cell) => (cell === "" ? "" : theme.style("strong", cell)));
  const draw = (row: string[]) => drawRow(row, widths, align, ` ${bar} `);
  return [...draw(bold), line, ...body.flatMap(draw)];
}

function drawRow(row: string[], widths: number[], align: Table["align"] & object, bar: string): string[] {
  const columns = widths.map((width, index) => wrapWords(row[index] ?? "", width));
  const height = Math.max(1, ...columns.map((column) => column.length));
  return Array.from({ length: height }, (_, part) =>
    columns
      .map((column, index) => pad(column[part] ?? "", widths[index] as number, align[index]))
      .join(bar)
      .trimEnd(),
  );
}

/** Leaves out columns from the middle until each of the others can have its narrowest width. */
function fitColumns(table: Table, width: number): { rows: string[][]; align: ("left" | "center" | "right")[] } {
  const count = Math.max(...table.rows.map((row) => row.length));
  const align = Array.from({ length: count }, (_, index) => table.align?.[index] ?? "left");
  const narrow = naturalWidths(table.rows).map((column) => Math.min(column, NARROWEST));
  const needed = (columns: number[]) => columns.reduce((sum, column) => sum + column + SEPARATOR, -SEPARATOR);
  if (needed(narrow) <= width) return { rows: table.rows, align };
  let kept = count - 1;
  while (
    kept > 1 &&
    needed([...narrow.slice(0, Math.ceil(kept / 2)), 1, ...narrow.slice(count - Math.floor(kept / 2))]) > width
  )
    kept--;
  const head = Math.ceil(kept / 2);
  const tail = count - Math.floor(kept / 2);
  const cut = <T>(list: T[], gap: T) => [...list.slice(0, head), gap, ...list.slice(tail)];
  return { rows: table.rows.map((row) => cut(row, "…")), align: cut(align, "left") };
}

function naturalWidths(rows: string[][]): number[] {
  const count = Math.max(...rows.map((row) => row.length));
  const widthIn = (row: string[], index: number) =>
    Math.max(1, ...(row[index] ?? "").split("\n").map((line) => widthOf(line)));
  return Array.from({ length: count }, (_, index) => Math.max(...rows.map((row) => widthIn(row, index))));
}

/** Gives narrow columns what they need and lets the wide ones share what is left. */
function shareWidths(natural: number[], width: number): number[] {
  const room = width - SEPARATOR * (natural.length - 1);
  let limit = Math.max(...natural);
  const total = (cap: number) => natural.reduce((sum, column) => sum + Math.min(column, cap), 0);
  while (limit > 1 && total(limit) > room) limit--;
  const widths = natural.map((column) => Math.min(column, limit));
  let spare = room - widths.reduce((sum, column) => sum + column, 0);
  for (const [index, column] of natural.entries()) {
    if (spare > 0 && column > (widths[index] as number)) {
      widths[index] = (widths[index] as number) + 1;
      spare--;
    }
  }
  return widths;
}
