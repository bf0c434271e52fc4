import { SgrState } from "../output/sgr-state.ts";
import { type Cell, joinCells, readCells, widthOf } from "./cells.ts";

const PLAIN = /^[\x20-\x7e]*$/;

/** Breaks preformatted text at exactly `width` columns. Each row stands for itself: colours are opened and ended in it. */
export function wrapColumns(text: string, width: number): string[] {
  const state = new SgrState();
  return text.split("\n").flatMap((line) => {
    if (state.opening === "" && PLAIN.test(line)) return slicePlain(line, width);
    return breakCells(readCells(line, state), width, () => undefined);
  });
}

/** Breaks prose between words, between wide characters, and inside a word that is longer than a row. */
export function wrapWords(text: string, width: number): string[] {
  const state = new SgrState();
  return text.split("\n").flatMap((line) => {
    if (state.opening === "" && line.length <= width && PLAIN.test(line)) return [line.trimEnd()];
    return breakCells(readCells(line, state), width, lastBreak);
  });
}

/** Cuts one line to `width` columns; what was cut is told by an ellipsis. */
export function truncate(line: string, width: number): string {
  if (line.length <= width && PLAIN.test(line)) return line;
  const cells = readCells(line, new SgrState());
  const end = fittingEnd(cells, 0, width);
  if (end === cells.length) return joinCells(cells);
  const cut = cells.slice(0, fittingEnd(cells, 0, width - 1));
  return joinCells([...cut, { text: "…", width: 1, style: cut.at(-1)?.style ?? "" }]);
}

/** Fills a line with spaces to `width` columns, text to the left unless told otherwise. */
export function pad(line: string, width: number, align: "left" | "center" | "right" = "left"): string {
  const room = Math.max(0, width - widthOf(line));
  const before = align === "left" ? 0 : align === "right" ? room : Math.floor(room / 2);
  return " ".repeat(before) + line + " ".repeat(room - before);
}

function slicePlain(line: string, width: number): string[] {
  if (line.length <= width) return [line];
  const rows: string[] = [];
  for (let start = 0; start < line.length; start += width) rows.push(line.slice(start, start + width));
  return rows;
}

/** Rows of at most `width` columns; `findBreak` may ask for an earlier end of a row than the last cell that fits. */
function breakCells(
  cells: Cell[],
  width: number,
  findBreak: (cells: Cell[], start: number, end: number) => number | undefined,
): string[] {
  const rows: string[] = [];
  let start = 0;
  do {
    const end = fittingEnd(cells, start, width);
    const words = end < cells.length ? findBreak(cells, start, end) : undefined;
    rows.push(joinCells(trimEnd(cells.slice(start, words ?? end), words !== undefined)));
    start = words ?? end;
    if (words !== undefined) while (cells[start]?.text === " ") start++;
  } while (start < cells.length);
  return rows;
}

function trimEnd(cells: Cell[], trim: boolean): Cell[] {
  let end = cells.length;
  while (trim && end > 0 && cells[end - 1]?.text === " ") end--;
  return end === cells.length ? cells : cells.slice(0, end);
}

/** The first cell that no longer fits; at least one cell goes into a row, or a wide one would never end. */
function fittingEnd(cells: Cell[], start: number, width: number): number {
  let used = 0;
  for (let index = start; index < cells.length; index++) {
    used += (cells[index] as Cell).width;
    if (used > width) return Math.max(index, start + 1);
  }
  return cells.length;
}

/** The last place up to `end` where prose may break; undefined where one word fills the row. */
function lastBreak(cells: Cell[], start: number, end: number): number | undefined {
  for (let index = end; index > start; index--) {
    const before = cells[index - 1] as Cell;
    const after = cells[index] as Cell;
    const blank = after.text === " " || before.text === " ";
    if (blank || (before.width === 2 && after.width === 2)) return index;
  }
  return undefined;
}
