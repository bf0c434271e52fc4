import { logLine } from "../log.ts";
import type { Terminal } from "../render/terminal.ts";
import { writeOut } from "./standard-output.ts";

/** How a pager is found and told what to do with colours, as git does it: quit at once if all fits, keep the screen. */
const LESS = { LESS: "FRX", LESSCHARSET: "utf-8" };

/** The command of the pager that the user wants, or undefined where there is none or the reader is no person. */
export function findPager(terminal: Terminal, environment: Record<string, string | undefined>): string | undefined {
  if (!terminal.interactive) return undefined;
  const command = isThere(environment.PAGER) ? environment.PAGER : Bun.which("less") === null ? "" : "less";
  return command === "" || command === "cat" ? undefined : command;
}

/** Whether the program of a command can be found; what is more than a plain word is left to the shell. */
function isThere(command: string | undefined): command is string {
  if (command === undefined) return false;
  const [program = ""] = command.trim().split(/\s+/);
  if (!/^[\w./+-]+$/.test(program) || Bun.which(program) !== null) return true;
  logLine(`warning: the pager ${program} that PAGER names is not there`);
  return false;
}

/**
 * Lines on their way to a person. States: collecting (at most a screen), paging, or direct where there is no pager. `write`
 * says whether anybody reads on; `close` waits until the pager was left.
 */
export class PagedOutput {
  readonly #command: string | undefined;
  readonly #environment: Record<string, string | undefined>;
  readonly #rows: number;
  #waiting: string[] = [];
  #pager: Bun.Subprocess<"pipe", "inherit", "inherit"> | undefined;

  constructor(command: string | undefined, rows: number, environment: Record<string, string | undefined>) {
    this.#command = command;
    this.#rows = rows;
    this.#environment = environment;
  }

  async write(lines: string[]): Promise<boolean> {
    if (this.#command === undefined) writeOut(joinLines(lines));
    else if (this.#pager !== undefined) return await this.#send(lines);
    else {
      this.#waiting.push(...lines);
      if (this.#waiting.length >= this.#rows) return await this.#page(this.#command);
    }
    return true;
  }

  async close(): Promise<void> {
    if (this.#pager === undefined) writeOut(joinLines(this.#waiting));
    else {
      await Promise.resolve(this.#pager.stdin.end()).catch(() => undefined);
      await this.#pager.exited;
    }
    this.#waiting = [];
  }

  async #page(command: string): Promise<boolean> {
    this.#pager = Bun.spawn(["sh", "-c", command], {
      stdin: "pipe",
      stdout: "inherit",
      stderr: "inherit",
      env: { ...LESS, ...this.#environment },
    });
    // The pager has the terminal's interrupts to itself: in less they end a search, not the program.
    process.on("SIGINT", () => undefined);
    return await this.#send(this.#waiting.splice(0));
  }

  async #send(lines: string[]): Promise<boolean> {
    const pager = this.#pager;
    if (pager === undefined || pager.exitCode !== null) return false;
    try {
      pager.stdin.write(joinLines(lines));
      await pager.stdin.flush();
      return pager.exitCode === null;
    } catch {
      return false;
    }
  }
}

function joinLines(lines: string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}
