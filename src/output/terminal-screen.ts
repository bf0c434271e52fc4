import { joinRows, LiveView } from "./live-view.ts";
import { SgrState } from "./sgr-state.ts";
import { ROW_UNITS, splitPoint, TerminalRow } from "./terminal-row.ts";

/** The cursor can go back over this many rows; what is above them is final. */
export const SCREEN_ROWS = 100;
/** Rows are taken off the screen in batches. */
const SPARE_ROWS = 100;
/** The column of a cursor that stands behind the last cell of its row. */
const END = -1;

/** The parts of ECMA-48 that move the cursor within a stream or erase, by the final byte of the control sequence. */
type Move = (screen: TerminalScreen, count: number, first: number) => void;

const MOVES: Record<string, Move> = {
  A: (screen, count) => screen.moveUp(count),
  B: (screen, count) => screen.moveDown(count),
  C: (screen, count) => screen.moveTo(screen.column + count),
  D: (screen, count) => screen.moveTo(screen.column - count),
  E: (screen, count) => screen.moveDown(count, 0),
  F: (screen, count) => screen.moveUp(count, 0),
  G: (screen, count) => screen.moveTo(count - 1),
  J: (screen, _count, first) => screen.eraseBelow(first),
  K: (screen, _count, first) => screen.eraseLine(first),
};

/**
 * The last rows of a stream as a terminal of {@link SCREEN_ROWS} rows would show them. Rows that no cursor can reach any more
 * come out of {@link takeFinal}. Absolute positions and clearing the screen have no meaning in a stream and do nothing.
 */
export class TerminalScreen {
  private rows: TerminalRow[];
  private row: number;
  private at = END;
  /** The highest row that the cursor can reach; never falls when rows are erased. */
  private top: number;
  private readonly view: LiveView;
  private readonly pen = new SgrState();
  private style = "";

  /** Starts with rows of plain text that are already shown, the cursor at their end. Without `colors`, SGR does nothing. */
  constructor(
    text: string,
    private readonly colors = false,
  ) {
    this.rows = splitRows(text);
    this.row = this.rows.length - 1;
    this.top = Math.max(0, this.rows.length - SCREEN_ROWS);
    this.view = new LiveView(this.row, this.current.units);
  }

  /** The cursor's column, counted in cells from 0. */
  get column(): number {
    return this.at === END ? this.current.width : this.at;
  }

  /** All rows of the screen as text. */
  get text(): string {
    return joinRows(this.rows, 0, this.rows.length);
  }

  /** Whether the screen is no more than its text, with the cursor at the end and all of it shown. */
  get isPlain(): boolean {
    return (
      this.at === END &&
      this.row === this.rows.length - 1 &&
      this.top === Math.max(0, this.rows.length - SCREEN_ROWS) &&
      this.view.hasShown(this.row, this.current) &&
      this.style === "" &&
      this.rows.every((row) => row.isPlain)
    );
  }

  /** Writes text that holds no control character but tabs at the cursor. */
  write(text: string): void {
    let rest = text;
    while (rest !== "") {
      if (this.at !== END) rest = this.writeOver(rest);
      if (rest === "") return;
      if (this.at !== END) continue;
      this.view.append(this.row, this.rows);
      rest = this.current.append(rest, this.style);
      if (rest !== "") this.nextRow(true);
    }
  }

  newline(): void {
    this.nextRow(false);
  }

  /** Puts the cursor behind everything, on a line of its own. */
  startLine(): void {
    this.row = this.rows.length - 1;
    this.at = 0;
    if (this.current.text !== "") this.nextRow(false);
  }

  /** Runs a control sequence (ECMA-48, 5.4) if it is one that moves, erases or colours; any other does nothing. */
  control(final: string, parameters: string): void {
    if (final === "m") {
      this.changeStyle(parameters);
      return;
    }
    const move = MOVES[final];
    if (move === undefined || !/^[\d;]*$/.test(parameters)) return;
    const first = Number.parseInt(parameters, 10) || 0;
    move(this, Math.max(1, first), first);
  }

  /** Moves within the row; 0 is what a carriage return does. */
  moveTo(column: number): void {
    this.current.held = true;
    this.at = Math.min(Math.max(0, column), ROW_UNITS);
  }

  moveUp(count: number, column = this.column): void {
    this.at = Math.min(column, ROW_UNITS);
    const row = Math.max(this.top, this.row - count);
    if (row < this.row) this.view.hold(row, this.rows.length - 1);
    this.row = row;
  }

  moveDown(count: number, column = this.column): void {
    this.moveTo(column);
    this.row = Math.min(this.rows.length - 1, this.row + count);
  }

  /** EL: 0 erases to the end of the row, 1 up to the cursor, 2 all of it. */
  eraseLine(mode: number): void {
    const column = this.column;
    this.moveTo(column);
    if (mode === 0) this.erase(column, this.current.width);
    if (mode === 1) this.erase(0, column + 1);
    if (mode === 2) this.erase(0, this.current.width);
  }

  /** ED, of which only 0 is done: erases from the cursor to the end of the screen. */
  eraseBelow(mode: number): void {
    if (mode !== 0) return;
    this.eraseLine(0);
    if (this.row === this.rows.length - 1) return;
    this.view.rewrite(this.row + 1, this.rows);
    this.rows.length = this.row + 1;
  }

  /** Takes the rows off that the cursor cannot reach any more, when enough of them have come together. */
  takeFinal(): string {
    if (this.top < SPARE_ROWS) return "";
    const count = this.top;
    const text = joinRows(this.rows, 0, count);
    this.view.forget(count, this.rows);
    this.rows = this.rows.slice(count);
    this.row -= count;
    this.top = 0;
    return text;
  }

  /** What has been completed since the last call, for somebody who watches: see {@link LiveView}. */
  takeLive(): string {
    return this.view.take(this.rows);
  }

  /** The rest of it, because nothing can change any more. */
  takeRest(): string {
    return this.view.takeRest(this.rows);
  }

  private get current(): TerminalRow {
    return this.rows[this.row] as TerminalRow;
  }

  private changeStyle(parameters: string): void {
    if (!this.colors || !/^[\d;:]*$/.test(parameters)) return;
    this.pen.apply(parameters);
    this.style = this.pen.opening;
  }

  private writeOver(text: string): string {
    const row = this.current;
    const width = row.width;
    if (this.at > width) row.append(" ".repeat(this.at - width), "");
    if (this.at >= width) {
      this.at = END;
      return text;
    }
    this.view.rewrite(this.row, this.rows);
    const { column, rest } = row.overwrite(this.at, text, this.style);
    this.at = column;
    return rest;
  }

  private erase(start: number, end: number): void {
    if (start >= this.current.width) return;
    this.view.rewrite(this.row, this.rows);
    this.current.erase(start, end);
  }

  private nextRow(continues: boolean): void {
    this.row++;
    if (this.row < this.rows.length) {
      this.at = 0;
      return;
    }
    this.rows.push(new TerminalRow(continues));
    this.at = END;
    this.top = Math.max(this.top, this.rows.length - SCREEN_ROWS);
    this.view.release(this.row);
  }
}

/** Cuts text at its newlines, and lines that are longer than a row into rows. */
function splitRows(text: string): TerminalRow[] {
  const rows: TerminalRow[] = [];
  for (const line of text.split("\n")) {
    let rest = line;
    let continues = false;
    do {
      const end = splitPoint(rest, ROW_UNITS);
      rows.push(new TerminalRow(continues, rest.slice(0, end)));
      rest = rest.slice(end);
      continues = true;
    } while (rest !== "");
  }
  return rows;
}
