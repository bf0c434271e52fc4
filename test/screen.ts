import { UnicodeGraphemesAddon } from "@xterm/addon-unicode-graphemes";
import { Terminal } from "@xterm/headless";

/** A real terminal emulator without a window, to see what a person would. */
export class Screen {
  readonly terminal: Terminal;
  /** What the terminal answered, and what programs made it do beside showing text. */
  readonly answers: string[] = [];
  readonly titles: string[] = [];

  constructor(columns: number, rows: number) {
    this.terminal = new Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 10_000 });
    this.terminal.loadAddon(new UnicodeGraphemesAddon());
    this.terminal.unicode.activeVersion = "15-graphemes";
    this.terminal.onData((data) => this.answers.push(data));
    this.terminal.onTitleChange((title) => this.titles.push(title));
  }

  get columns(): number {
    return this.terminal.cols;
  }

  get rows(): number {
    return this.terminal.rows;
  }

  write(text: string): void {
    this.terminal.write(text);
  }

  /** All rows, those that scrolled away included, once the terminal has taken all that was written; empty ones at the end go. */
  async read(): Promise<string[]> {
    await new Promise<void>((resolve) => this.terminal.write("", resolve));
    const buffer = this.terminal.buffer.active;
    const rows = Array.from({ length: buffer.length }, (_, row) => buffer.getLine(row)?.translateToString(true) ?? "");
    while (rows.at(-1) === "") rows.pop();
    return rows;
  }

  /** Whether a row is the continuation of one that was too wide. */
  isWrapped(row: number): boolean {
    return this.terminal.buffer.active.getLine(row)?.isWrapped ?? false;
  }

  resize(columns: number, rows: number): void {
    this.terminal.resize(columns, rows);
  }
}
