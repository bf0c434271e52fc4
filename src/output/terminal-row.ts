/** Rows never hold more UTF-16 units than this; a longer line goes on in a continuation row, as on a terminal of that width. */
export const ROW_UNITS = 4096;
/** A cell takes at most this many units, so that combining marks written over one cell stay bounded. */
const CELL_UNITS = 64;
const TAB_STOP = 8;
/** Text of which every UTF-16 unit is one cell: ASCII, Latin-1, punctuation, arrows, box drawing, blocks, braille. */
const SIMPLE = /^[\x20-\x7e\xa1-\xac\xae-\xff\u2010-\u2027\u2190-\u2193\u2500-\u259f\u2800-\u28ff]*$/;
const ZERO_WIDTH_JOINER = "\u200d";

/**
 * One row of the screen. It is text as long as every write was an append or both sides are simple, else one string a
 * cell, where "" continues the wide character or tab before it.
 */
export class TerminalRow {
  /** A cell that held something was written over or erased. */
  rewritten = false;
  /** The cursor moved back into the row; a live view waits until the row is complete. */
  held = false;
  private content = "";
  private simple = true;
  private cells: string[] | undefined;
  private cellUnits = 0;

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
    return this.cells === undefined ? this.content.length : this.cellUnits;
  }

  /** The width in cells. */
  get width(): number {
    return this.isSimple() ? this.content.length : this.toCells().length;
  }

  get text(): string {
    const text = this.cells === undefined ? this.content : this.cells.join("");
    return this.rewritten ? trimSpaces(text) : text;
  }

  /** Adds text at the end, as much as the row has room for; returns the rest. */
  append(text: string): string {
    const room = splitPoint(text, Math.max(0, ROW_UNITS - this.units));
    const fits = room === text.length ? text : text.slice(0, room);
    if (this.cells === undefined) {
      this.content += fits;
      this.simple = false;
    } else this.putAll(this.cells, this.cells.length, fits);
    return room === text.length ? "" : text.slice(room);
  }

  /** Writes over the cells from `column` on and never beyond the row's end; `rest` is what did not fit. */
  overwrite(column: number, text: string): { column: number; rest: string } {
    this.rewritten = true;
    if (this.isSimple() && SIMPLE.test(text)) return this.overwriteSimple(column, text);
    const cells = this.toCells();
    let at = column;
    let used = 0;
    for (const character of text) {
      if (at >= cells.length) break;
      at = this.put(cells, at, character);
      used += character.length;
    }
    return { column: at, rest: text.slice(used) };
  }

  /** Erases the cells from `start` up to `end`; at the row's end they go, elsewhere they become spaces. */
  erase(start: number, end: number): void {
    const width = this.width;
    if (start >= width) return;
    this.rewritten = true;
    if (this.isSimple()) {
      const rest = end < width ? " ".repeat(end - start) + this.content.slice(end) : "";
      this.content = this.content.slice(0, start) + rest;
      return;
    }
    const cells = this.toCells();
    for (let column = start; column < Math.min(end, width); column++) this.blank(cells, column);
    if (end < width) return;
    for (let column = start; column < width; column++) this.setCell(cells, column, "");
    cells.length = start;
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
    this.simple ||= SIMPLE.test(this.content);
    return this.simple;
  }

  private toCells(): string[] {
    if (this.cells !== undefined) return this.cells;
    const cells: string[] = [];
    this.cells = cells;
    this.cellUnits = 0;
    this.putAll(cells, 0, this.content);
    this.content = "";
    return cells;
  }

  private putAll(cells: string[], column: number, text: string): number {
    let at = column;
    for (const character of text) at = this.put(cells, at, character);
    return at;
  }

  private put(cells: string[], column: number, character: string): number {
    const base = headOf(cells, column - 1);
    if (base >= 0 && joins(cells[base] as string, character)) {
      const joined = (cells[base] as string) + character;
      if (joined.length <= CELL_UNITS || column === cells.length) this.setCell(cells, base, joined);
      return column;
    }
    const width = character === "\t" ? TAB_STOP - (column % TAB_STOP) : Math.max(1, cellWidth(character));
    if (character === "\t" && column < cells.length) return column + width;
    for (let at = column; at < Math.min(column + width, cells.length); at++) this.blank(cells, at);
    this.setCell(cells, column, character);
    for (let at = column + 1; at < column + width; at++) this.setCell(cells, at, "");
    return column + width;
  }

  /** Empties a cell, and with it the whole wide character that it is a part of. */
  private blank(cells: string[], column: number): void {
    const head = headOf(cells, column);
    this.setCell(cells, head, " ");
    for (let at = head + 1; at < cells.length && cells[at] === ""; at++) this.setCell(cells, at, " ");
  }

  private setCell(cells: string[], column: number, text: string): void {
    this.cellUnits += text.length - (cells[column]?.length ?? 0);
    cells[column] = text;
  }
}

/** The largest index up to `limit` that does not split a surrogate pair. */
export function splitPoint(text: string, limit: number): number {
  if (text.length <= limit) return text.length;
  const unit = text.charCodeAt(limit - 1);
  return unit >= 0xd800 && unit < 0xdc00 ? limit - 1 : limit;
}

function headOf(cells: string[], column: number): number {
  let head = column;
  while (head > 0 && cells[head] === "") head--;
  return head;
}

/** Whether a character stays in the cell before it: marks, what a joiner binds, skin tones, the second half of a flag. */
function joins(cell: string, character: string): boolean {
  if (character.length === 1 && SIMPLE.test(character)) return cell.endsWith(ZERO_WIDTH_JOINER);
  if (character === "\t") return false;
  const code = character.codePointAt(0) as number;
  if (code >= 0x1f3fb && code <= 0x1f3ff) return true;
  if (code >= 0x1f1e6 && code <= 0x1f1ff) return cell.length === 2 && isRegional(cell);
  return cell.endsWith(ZERO_WIDTH_JOINER) || cellWidth(character) === 0;
}

function isRegional(cell: string): boolean {
  const code = cell.codePointAt(0) as number;
  return code >= 0x1f1e6 && code <= 0x1f1ff;
}

function cellWidth(character: string): number {
  return SIMPLE.test(character) ? 1 : Bun.stringWidth(character);
}

function trimSpaces(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 0x20) end--;
  return text.slice(0, end);
}
