/** A cell takes at most this many UTF-16 units, so that combining marks written over one cell stay bounded. */
const CELL_UNITS = 64;
const TAB_STOP = 8;
/** Text of which every UTF-16 unit is one cell: ASCII, Latin-1, punctuation, arrows, box drawing, blocks, braille. */
const SIMPLE = /^[\x20-\x7e\xa1-\xac\xae-\xff\u2010-\u2027\u2190-\u2193\u2500-\u259f\u2800-\u28ff]*$/;
const ZERO_WIDTH_JOINER = "\u200d";

/** Whether each UTF-16 unit of a text takes one cell of a terminal, and none joins another. */
export function isOneCellAUnit(text: string): boolean {
  return SIMPLE.test(text);
}

/** A row as cells: one string each, "" where the wide character or tab before it goes on; and the colours of each. */
export class RowCells {
  private readonly cells: string[] = [];
  /** The SGR sequence in force in each cell. */
  private readonly styles: string[] = [];
  /** UTF-16 units of the text, colours not counted. */
  units = 0;
  hasStyles = false;

  get width(): number {
    return this.cells.length;
  }

  /** The text; where there are colours each stretch opens and ends its own. Spaces at the end go with `trimmed`. */
  text(trimmed: boolean): string {
    let end = this.cells.length;
    while (trimmed && end > 0 && this.cells[end - 1] === " ") end--;
    if (!this.hasStyles) return this.cells.slice(0, end).join("");
    let text = "";
    let open = "";
    for (let column = 0; column < end; column++) {
      const style = this.styles[column] as string;
      if (style !== open) text += (open === "" ? "" : "\x1b[0m") + style;
      open = style;
      text += this.cells[column];
    }
    return open === "" ? text : `${text}\x1b[0m`;
  }

  /** Writes one character over what is at the column, or at the end; returns the column after it. */
  put(column: number, character: string, style: string): number {
    const base = this.headOf(column - 1);
    if (base >= 0 && joins(this.cells[base] as string, character)) {
      const joined = (this.cells[base] as string) + character;
      if (joined.length <= CELL_UNITS || column === this.width) this.set(base, joined, this.styles[base] as string);
      return column;
    }
    const width = character === "\t" ? TAB_STOP - (column % TAB_STOP) : Math.max(1, cellWidth(character));
    if (character === "\t" && column < this.width) return column + width;
    for (let at = column; at < Math.min(column + width, this.width); at++) this.blank(at);
    this.set(column, character, style);
    for (let at = column + 1; at < column + width; at++) this.set(at, "", style);
    return column + width;
  }

  /** Erases the cells from `start` up to `end`; at the row's end they go, elsewhere they become spaces. */
  erase(start: number, end: number): void {
    for (let column = start; column < Math.min(end, this.width); column++) this.blank(column);
    if (end < this.width) return;
    for (let column = start; column < this.width; column++) this.set(column, "", "");
    this.cells.length = start;
    this.styles.length = start;
  }

  /** Empties a cell, and with it the whole wide character that it is a part of. */
  private blank(column: number): void {
    const head = this.headOf(column);
    this.set(head, " ", "");
    for (let at = head + 1; at < this.width && this.cells[at] === ""; at++) this.set(at, " ", "");
  }

  private headOf(column: number): number {
    let head = column;
    while (head > 0 && this.cells[head] === "") head--;
    return head;
  }

  private set(column: number, text: string, style: string): void {
    this.units += text.length - (this.cells[column]?.length ?? 0);
    this.cells[column] = text;
    this.styles[column] = style;
    this.hasStyles ||= style !== "";
  }
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

/** A regional indicator counts as the flag that it begins. */
function cellWidth(character: string): number {
  if (SIMPLE.test(character)) return 1;
  return isRegional(character) ? 2 : Bun.stringWidth(character);
}
