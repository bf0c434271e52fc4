import { widthOf } from "./cells.ts";
import { wrapColumns } from "./text.ts";

/** Where a live region is drawn: a TTY whose size may change. */
export interface RegionTerminal {
  write(text: string): void;
  readonly columns: number;
  readonly rows: number;
}

const BEGIN = "\x1b[?2026h\x1b[?25l\x1b[?7l";
const END = "\x1b[?7h\x1b[?2026l";
const SHOW_CURSOR = "\x1b[?25h";

/**
 * Lines at the bottom of a terminal that are drawn over again while something runs. States: empty, drawn, closed. `update`
 * draws, `print` puts lines above for good, `close` leaves the last lines and gives the cursor back; its owner calls it on
 * every way out. A terminal that becomes narrower wraps what is drawn, so the rows to go back are counted anew each time.
 */
export class LiveRegion {
  readonly #terminal: RegionTerminal;
  #drawn: string[] = [];
  #size = "";
  #closed = false;

  constructor(terminal: RegionTerminal) {
    this.#terminal = terminal;
  }

  /** Draws these lines in place of the last ones; of more than fit on the screen the last ones. */
  update(lines: string[]): void {
    if (this.#closed) return;
    const shown = lines.slice(-Math.max(1, this.#terminal.rows - 1));
    const size = `${this.#terminal.columns}x${this.#terminal.rows}`;
    const same = size === this.#size && shown.length === this.#drawn.length;
    if (same && shown.every((line, index) => line === this.#drawn[index])) return;
    this.#size = size;
    this.#draw([], shown);
  }

  /** Prints lines above the region, where they stay. */
  print(lines: string[]): void {
    if (!this.#closed) this.#draw(lines, this.#drawn);
  }

  /** Replaces the region by its last lines, all of them. */
  close(lines: string[] = this.#drawn): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#terminal.write(`${BEGIN}${this.#over(lines)}${END}${SHOW_CURSOR}`);
    this.#drawn = [];
  }

  #draw(above: string[], lines: string[]): void {
    this.#terminal.write(`${BEGIN}${this.#over([...above, ...lines])}${END}`);
    this.#drawn = lines;
  }

  /**
   * Writes lines over what is drawn, and clears what is left of it below. A screen is never cleared from its first row on: tmux
   * takes that for the whole of it, and keeps a copy in its history.
   */
  #over(lines: string[]): string {
    const { columns, rows } = this.#terminal;
    const rowsOf = (line: string) => (widthOf(line) <= columns ? 1 : wrapColumns(line, columns).length);
    const height = this.#drawn.reduce((sum, line) => sum + rowsOf(line), 0);
    const up = Math.min(height, rows - 1);
    const back = `${up > 0 ? `\x1b[${up}A` : ""}\r`;
    if (lines.length === 0) return up === 0 ? back : `${back}\x1b[2K\x1b[B\x1b[J\x1b[A`;
    return `${back}${lines.map((line) => `\x1b[2K${line}\r\n`).join("")}\x1b[J`;
  }
}
