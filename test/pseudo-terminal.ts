import { Screen } from "./screen.ts";

/** Runs a program, then writes its status in a sequence that terminals ignore. */
const SHELL = `trap : INT; "$@"; printf '\\033]7777;%s\\007' "$?"`;
const END = /\x1b\]7777;(\d+)\x07/;

/** A program that runs on a pseudo-terminal, which a real emulator shows and answers for. */
export class TerminalProgram implements AsyncDisposable {
  readonly screen: Screen;
  /** Every byte that the program wrote, as Latin-1. */
  raw = "";
  /** Answers of a terminal that is no xterm.js; what this returns is sent before the emulator's own. */
  answer: (text: string) => string = () => "";
  readonly #child: Bun.Subprocess;

  constructor(
    argv: string[],
    options: { columns: number; rows: number; cwd: string; env: Record<string, string | undefined> },
  ) {
    const { columns, rows, cwd, env } = options;
    this.screen = new Screen(columns, rows);
    const data = (terminal: Bun.Terminal, bytes: Uint8Array) => {
      const text = Buffer.from(bytes).toString("latin1");
      this.raw += text;
      const own = this.answer(text);
      if (own !== "") terminal.write(own);
      this.screen.terminal.write(bytes);
    };
    // Only a terminal that is made with its program controls it, so that ^C interrupts.
    this.#child = Bun.spawn(["sh", "-c", SHELL, "sh", ...argv], {
      cwd,
      env: { ...process.env, TERM: "xterm-256color", ...env },
      terminal: { cols: columns, rows, name: "xterm-256color", data },
    });
    this.screen.terminal.onData((answer) => this.#terminal.write(answer));
  }

  get #terminal(): Bun.Terminal {
    return this.#child.terminal as Bun.Terminal;
  }

  /** The exit status, once all that the program wrote has been read: a shell that waits for it writes it last. */
  async exited(): Promise<number> {
    await this.waitFor(() => END.test(this.raw));
    return Number(END.exec(this.raw)?.[1]);
  }

  type(keys: string): void {
    this.#terminal.write(keys);
  }

  resize(columns: number, rows: number): void {
    this.screen.resize(columns, rows);
    this.#terminal.resize(columns, rows);
  }

  /** Waits until what the screen shows holds, and returns it; throws with the screen's rows when it never does. */
  async waitFor(holds: (rows: string[]) => boolean, patienceMs = 15_000): Promise<string[]> {
    const end = Date.now() + patienceMs;
    for (;;) {
      const rows = await this.screen.read();
      if (holds(rows)) return rows;
      if (Date.now() > end) throw new Error(`the screen never came to it:\n${rows.join("\n")}`);
      await Bun.sleep(10);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill();
    await this.#child.exited;
    this.#terminal.close();
    this.screen.terminal.dispose();
  }
}
