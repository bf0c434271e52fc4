import type { KernelQuestions } from "../../execute/ask-kernel.ts";
import { cleanText } from "../../render/clean.ts";
import { renderInput, renderMenu } from "../../render/input-lines.ts";
import type { RenderContext } from "../../render/renderer.ts";
import { wrapColumns } from "../../render/text.ts";
import { EditBuffer } from "./edit-buffer.ts";
import type { InputHistory } from "./input-history.ts";
import type { Key } from "./key-reader.ts";

/** What the input leads to. */
export interface InputActions {
  submit(code: string): void;
  /** Ctrl-C where nothing was written. */
  interrupt(): void;
  leave(): void;
  clear(): void;
  /** Whether a cell runs: the kernel answers no question then. */
  isBusy(): boolean;
}

const INDENT = "    ";
const NOTE_ROWS = 12;
/** The end of a line that goes on, in Python or in a shell, for kernels that cannot tell. */
const OPEN_END = /(?:[:([{,\\|]|&&|\b(?:do|then|else))\s*$/;
/** What a person writes to leave a terminal. */
const LEAVING = /^\s*(?:exit|quit)\s*(?:\(\s*\))?\s*$/;
/** `name?` asks for what the name is, as in IPython. */
const QUESTION = /^\s*([\w.]+)\s*\?{1,2}\s*$/;

/** The input of a repl: code of any number of lines, its history, and what the kernel knows of it. */
export class ReplInput {
  readonly #buffer = new EditBuffer();
  readonly #history: InputHistory;
  readonly #kernel: KernelQuestions;
  readonly #actions: InputActions;
  #menu: readonly string[] = [];
  #note = "";

  constructor(history: InputHistory, kernel: KernelQuestions, actions: InputActions) {
    this.#history = history;
    this.#kernel = kernel;
    this.#actions = actions;
  }

  render(language: string, context: RenderContext): string[] {
    const note = wrapColumns(cleanText(this.#note, context.theme.colors !== "none"), context.width).slice(0, NOTE_ROWS);
    return [
      ...renderInput(this.#buffer.text, this.#buffer.cursor, language, context),
      ...(this.#menu.length > 0 ? renderMenu(this.#menu, context) : []),
      ...(this.#note === "" ? [] : note),
    ];
  }

  async press(key: Key): Promise<void> {
    this.#menu = [];
    this.#note = "";
    if (key.name !== "up" && key.name !== "down") this.#history.endWalk();
    if (key.name === "text") this.#buffer.insert(key.text);
    else await this.#keys[key.name]();
  }

  readonly #keys: Record<Exclude<Key["name"], "text">, () => void | Promise<void>> = {
    enter: () => this.#enter(),
    newline: () => this.#buffer.insert("\n"),
    tab: () => this.#complete(),
    inspect: () => this.#inspect(this.#buffer.text, this.#buffer.cursor),
    backspace: () => this.#buffer.backspace(),
    delete: () => this.#buffer.delete(),
    left: () => this.#buffer.left(),
    right: () => this.#buffer.right(),
    up: () => this.#walk(this.#buffer.up(), () => this.#history.older(this.#buffer.text)),
    down: () => this.#walk(this.#buffer.down(), () => this.#history.newer()),
    home: () => this.#buffer.home(),
    end: () => this.#buffer.end(),
    "word-left": () => this.#buffer.wordLeft(),
    "word-right": () => this.#buffer.wordRight(),
    "kill-line": () => this.#buffer.killLine(),
    "kill-to-start": () => this.#buffer.killToStart(),
    "kill-word": () => this.#buffer.killWord(),
    interrupt: () => (this.#buffer.text === "" ? this.#actions.interrupt() : this.#buffer.set("")),
    leave: () => (this.#buffer.text === "" ? this.#actions.leave() : this.#buffer.delete()),
    clear: () => this.#actions.clear(),
  };

  #walk(moved: boolean, next: () => string | undefined): void {
    const input = moved ? undefined : next();
    if (input !== undefined) this.#buffer.set(input);
  }

  async #enter(): Promise<void> {
    const { text } = this.#buffer;
    if (text.trim() === "") return this.#buffer.set("");
    const [, asked] = QUESTION.exec(text) ?? [];
    if (asked !== undefined) {
      this.#buffer.set("");
      this.#history.add(text);
      await this.#inspect(asked, asked.length);
      return;
    }
    // In the kernel it would end the session, which is the agent's too.
    if (LEAVING.test(text)) return this.#actions.leave();
    const indent = await this.#indentForMore(text);
    if (indent !== undefined) return this.#buffer.insert(`\n${indent}`);
    this.#buffer.set("");
    this.#history.add(text);
    this.#actions.submit(text);
  }

  /** What the next line begins with, where the code is not whole or the cursor is in the midst of it; undefined to run it. */
  async #indentForMore(text: string): Promise<string | undefined> {
    const own = /^[ \t]*/.exec(this.#buffer.lineStart)?.[0] ?? "";
    if (this.#buffer.cursor < text.trimEnd().length) return own;
    const answer = this.#actions.isBusy() ? undefined : await this.#kernel.isComplete(text).catch(() => undefined);
    if (answer?.status === "incomplete") return answer.indent;
    if (answer?.status === "complete" || answer?.status === "invalid") return undefined;
    const isOpen = OPEN_END.test(text) || (text.includes("\n") && !/\n\s*$/.test(text));
    return isOpen ? own + (/:\s*$/.test(text) ? INDENT : "") : undefined;
  }

  async #complete(): Promise<void> {
    const { text, cursor, lineStart } = this.#buffer;
    if (lineStart.trim() === "") return this.#buffer.insert(INDENT);
    const answer = this.#actions.isBusy()
      ? undefined
      : await this.#kernel.complete(text, cursor).catch(() => undefined);
    if (answer === undefined || answer.matches.length === 0 || this.#buffer.text !== text) return;
    const written = text.slice(answer.start, answer.end);
    const common = commonStart(answer.matches);
    if (common.length > written.length || answer.matches.length === 1) {
      this.#buffer.replace(answer.start, answer.end, common);
    }
    if (answer.matches.length > 1) this.#menu = answer.matches;
  }

  async #inspect(code: string, cursor: number): Promise<void> {
    const answer = this.#actions.isBusy() ? undefined : await this.#kernel.inspect(code, cursor).catch(() => undefined);
    const text = answer?.data["text/plain"];
    this.#note = typeof text === "string" ? text : "(nothing is known of it)";
  }
}

function commonStart(words: readonly string[]): string {
  const [first = "", ...rest] = words;
  let length = first.length;
  for (const word of rest) while (!word.startsWith(first.slice(0, length))) length--;
  return first.slice(0, length).replace(/[\ud800-\udbff]$/, "");
}
