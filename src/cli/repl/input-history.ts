import { appendFileSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { errorCode, errorMessage } from "../../errors.ts";
import { logLine } from "../../log.ts";
import { ensurePrivateDirectory } from "../../paths.ts";

/** Inputs that are remembered. */
const MOST_INPUTS = 2000;

/** What was run before, in all sessions of this user; a walk through it begins at the newest. */
export class InputHistory {
  readonly #file: string;
  readonly #inputs: string[];
  /** Where a walk stands, and what had been written when it began. */
  #walk: { at: number; draft: string } | undefined;

  constructor(state: string) {
    this.#file = join(state, "repl-history.jsonl");
    this.#inputs = readInputs(this.#file).slice(-MOST_INPUTS);
  }

  add(input: string): void {
    this.#walk = undefined;
    if (this.#inputs.at(-1) === input) return;
    this.#inputs.push(input);
    try {
      ensurePrivateDirectory(dirname(this.#file));
      appendFileSync(this.#file, `${JSON.stringify(input)}\n`, { mode: 0o600 });
    } catch (error) {
      logLine(`the history was not kept: ${errorMessage(error)}`);
    }
  }

  /** The input before, which begins as the draft does; undefined where there is none. */
  older(draft: string): string | undefined {
    const walk = this.#walk ?? { at: this.#inputs.length, draft };
    for (let at = walk.at - 1; at >= 0; at--) {
      const input = this.#inputs[at] as string;
      if (!input.startsWith(walk.draft)) continue;
      this.#walk = { ...walk, at };
      return input;
    }
    return undefined;
  }

  /** The input after, and at last the draft; undefined when no walk is on. */
  newer(): string | undefined {
    const walk = this.#walk;
    if (walk === undefined) return undefined;
    for (let at = walk.at + 1; at < this.#inputs.length; at++) {
      const input = this.#inputs[at] as string;
      if (!input.startsWith(walk.draft)) continue;
      this.#walk = { ...walk, at };
      return input;
    }
    this.#walk = undefined;
    return walk.draft;
  }

  /** What is written now was written by hand: the next walk begins with it. */
  endWalk(): void {
    this.#walk = undefined;
  }
}

/** A line that is no JSON, because a process died in it, is left out. */
function readInputs(file: string): string[] {
  try {
    return readFileSync(file, "utf8")
      .split("\n")
      .flatMap((line) => readLine(line));
  } catch (error) {
    if (errorCode(error) !== "ENOENT") logLine(`the history cannot be read: ${errorMessage(error)}`);
    return [];
  }
}

function readLine(line: string): string[] {
  try {
    const input: unknown = JSON.parse(line);
    return typeof input === "string" ? [input] : [];
  } catch {
    return [];
  }
}
