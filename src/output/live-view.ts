import type { TerminalRow } from "./terminal-row.ts";

/** The text of the rows from `start` up to `end`, with the newline that leads to the row after them. */
export function joinRows(rows: TerminalRow[], start: number, end: number): string {
  let text = "";
  for (let index = start; index < end; index++) {
    const next = rows[index + 1];
    text += (rows[index] as TerminalRow).text;
    if (next !== undefined && !next.continues) text += "\n";
  }
  return text;
}

/**
 * What somebody who watches a stream gets to see while it runs, as text that is only ever added to:
 * - what is appended to a line is shown at once;
 * - a line that the cursor moved back into (`\r`, `\b`) is shown when its newline has come;
 * - rows that the cursor moved up to are shown when the stream has moved on below them;
 * - a line that was shown and then rewritten is shown again, on a line of its own.
 */
export class LiveView {
  private holdFrom = Number.POSITIVE_INFINITY;
  private holdTo = Number.NEGATIVE_INFINITY;
  /** The text so far ends within a line that was rewritten since. */
  private broken = false;
  private text = "";

  /** Everything above `row`, and `units` of it, is shown. */
  constructor(
    private row: number,
    private units: number,
  ) {}

  hasShown(row: number, content: TerminalRow): boolean {
    return this.row === row && this.units === content.units && !content.held && !this.broken && this.text === "";
  }

  /** The cursor went up to `row` while `bottom` was the last one. */
  hold(row: number, bottom: number): void {
    this.holdFrom = Math.min(this.holdFrom, row);
    this.holdTo = Math.max(this.holdTo, bottom);
  }

  /** A row was added at the bottom; two below what is held, the stream has moved on. */
  release(bottom: number): void {
    if (bottom <= this.holdTo + 1) return;
    this.holdFrom = Number.POSITIVE_INFINITY;
    this.holdTo = Number.NEGATIVE_INFINITY;
  }

  /** A row is about to change in a cell that it had before. */
  rewrite(row: number, rows: TerminalRow[]): void {
    if (row > this.row || (row === this.row && this.units === 0)) return;
    this.broken ||= this.units > 0 || rows[this.row]?.continues === true;
    this.row = row;
    while (this.row > 0 && rows[this.row]?.continues === true) this.row--;
    this.units = 0;
  }

  /** A row is about to grow at its end, which is a rewriting only where the line was shown as complete. */
  append(row: number, rows: TerminalRow[]): void {
    if (row < this.row) this.rewrite(row, rows);
  }

  /** The first `count` rows are about to leave the screen. */
  forget(count: number, rows: TerminalRow[]): void {
    while (this.row < count) this.show(rows);
    this.row -= count;
    this.holdFrom = Math.max(0, this.holdFrom - count);
    this.holdTo -= count;
  }

  /** The text that has become fit to show since the last call. */
  take(rows: TerminalRow[]): string {
    const last = rows.length - 1;
    const end = Math.min(last, this.holdFrom);
    while (this.row < end) this.show(rows);
    const row = rows[last];
    if (this.row === last && this.holdFrom > last && row !== undefined && !row.held && row.units > this.units) {
      this.add(row.text.slice(this.units));
      this.units = row.units;
    }
    const text = this.text;
    this.text = "";
    return text;
  }

  /** All text that was not shown yet. */
  takeRest(rows: TerminalRow[]): string {
    while (this.row < rows.length) this.show(rows);
    const text = this.text;
    this.text = "";
    return text;
  }

  private show(rows: TerminalRow[]): void {
    const row = rows[this.row] as TerminalRow;
    const next = rows[this.row + 1];
    this.add(row.text.slice(this.units) + (next !== undefined && !next.continues ? "\n" : ""));
    this.row++;
    this.units = 0;
  }

  private add(text: string): void {
    this.text += this.broken ? `\n${text}` : text;
    this.broken = false;
  }
}
