import { isOneCellAUnit, RowCells } from "./row-cells.ts";

/** Rows never hold more UTF-16 units than this; a longer line goes on in a continuation row, as on a terminal of that width. */
export const ROW_UNITS = 4096;

/**
 * One row of the screen. It is a plain string as long as every write was an append or both sides are of simple characters,
 * else cells. Writes take an SGR sequence, "" for none.
 */
export class TerminalRow {
  /** A cell that held something was written over or erased. */
  rewritten = false;
  /** The cursor moved back into the row; a live view waits until the row is complete. */
  held = false;
  private content = "";
  private simple = true;
  private cells: RowCells | undefined;

  /** `continues`: the row is the rest of the line that began in the row above. */
  constructor(
    readonly continues: boolean,
    content = "",
  ) {
    this.content = content;
    this.simple = content === "";
  }

  /** UTF-16 units of the text. */
  get units(): number {
    return this.cells?.units ?? this.content.length;
  }

  /** The width in cells. */
  get width(): number {
    return this.isSimple() ? this.content.length : this.toCells().width;
  }

  /** The row is no more than its text. */
  get isPlain(): boolean {
    return !this.rewritten && this.cells?.hasStyles !== true;
  }

  get text(): string {
    if (this.cells !== undefined) return this.cells.text(this.rewritten);
    return this.rewritten ? trimSpaces(this.content) : this.content;
  }

  /** Adds text at the end, as much as the row has room for; returns the rest. */
  append(text: string, style: string): string {
    const room = splitPoint(text, Math.max(0, ROW_UNITS - this.units));
    const fits = room === text.length ? text : text.slice(0, room);
    if (this.cells === undefined && style === "") {
      this.content += fits;
      this.simple = false;
    } else this.putAll(this.toCells(), fits, style);
    return room === text.length ? "" : text.slice(room);
  }

  /** Writes over the cells from `column` on and never beyond the row's end; `rest` is what did not fit. */
  overwrite(column: number, text: string, style: string): { column: number; rest: string } {
    this.rewritten = true;
    if (style === "" && this.isSimple() && isOneCellAUnit(text)) return this.overwriteSimple(column, text);
    const cells = this.toCells();
    let at = column;
    let used = 0;
    for (const character of text) {
      if (at >= cells.width) break;
      at = cells.put(at, character, style);
      used += character.length;
    }
    return { column: at, rest: text.slice(used) };
  }

  /** Erases the cells from `start` up to `end`; at the row's end they go, elsewhere they become spaces. */
  erase(start: number, end: number): void {
    const width = this.width;
    if (start >= width) return;
    this.rewritten = true;
    if (!this.isSimple()) {
      this.toCells().erase(start, end);
      return;
    }
    const rest = end < width ? " ".repeat(end - start) + this.content.slice(end) : "";
    this.content = this.content.slice(0, start) + rest;
  }

  private overwriteSimple(column: number, text: string): { column: number; rest: string } {
    const { content } = this;
    const end = Math.min(column + text.length, content.length);
    const written = end - column === text.length ? text : text.slice(0, end - column);
    const before = column === 0 ? written : content.slice(0, column) + written;
    this.content = end === content.length ? before : before + content.slice(end);
    return { column: end, rest: text.slice(written.length) };
  }

  private isSimple(): boolean {
    if (this.cells !== undefined) return false;
    this.simple ||= isOneCellAUnit(this.content);
    return this.simple;
  }

  private toCells(): RowCells {
    if (this.cells !== undefined) return this.cells;
    this.cells = new RowCells();
    this.putAll(this.cells, this.content, "");
    this.content = "";
    return this.cells;
  }

  private putAll(cells: RowCells, text: string, style: string): void {
    for (const character of text) cells.put(cells.width, character, style);
  }
}

/** The largest index up to `limit` that does not split a surrogate pair. */
export function splitPoint(text: string, limit: number): number {
  if (text.length <= limit) return text.length;
  const unit = text.charCodeAt(limit - 1);
  return unit >= 0xd800 && unit < 0xdc00 ? limit - 1 : limit;
}

function trimSpaces(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 0x20) end--;
  return text.slice(0, end);
}
