// The text of one call while it grows: the kernel's words, cleaned, and our own lines between them, cut at a limit.
// `finish` ends it; nothing has to be closed before that.

import { TextSanitizer } from "../output/text-sanitizer.ts";
import type { TextMeta } from "./model.ts";

export class CallText {
  readonly #maxBytes: number;
  readonly #onText: (text: string) => void;
  #sanitizer = new TextSanitizer({ live: true });
  #text = "";
  #cellStart = 0;
  #shown = 0;

  constructor(options: { maxBytes: number; onText(text: string): void }) {
    this.#maxBytes = options.maxBytes;
    this.#onText = options.onText;
  }

  /** Text of the kernel, as it came. */
  write(chunk: string): void {
    this.#text += this.#sanitizer.write(chunk);
    this.#show(this.#sanitizer.takeLive());
  }

  /** A line of our own, alone on its line. */
  line(text: string): void {
    this.#settle();
    this.#append(`${text}\n`);
  }

  beginCell(): void {
    this.#settle();
    this.#cellStart = this.#text.length;
  }

  /** True when the cell has written nothing. */
  get cellIsEmpty(): boolean {
    return this.#text.length === this.#cellStart && this.#sanitizer.pending === "";
  }

  /** The cell's text so far. */
  get cell(): string {
    return cut(this.#text.slice(this.#cellStart) + this.#sanitizer.pending, this.#maxBytes);
  }

  finish(): { text: string; meta: TextMeta } {
    this.#text += this.#sanitizer.finish();
    const text = cut(this.#text, this.#maxBytes);
    const meta = {
      truncated: text.length < this.#text.length,
      totalLines: countLines(this.#text),
      totalBytes: Buffer.byteLength(this.#text),
      outputLines: countLines(text),
      outputBytes: Buffer.byteLength(text),
      artifactId: null,
    };
    return { text, meta };
  }

  /** Makes all text final and ends an open line. */
  #settle(): void {
    this.#text += this.#sanitizer.startLine();
    this.#show(this.#sanitizer.takeLive());
    if (this.#text !== "" && !this.#text.endsWith("\n")) this.#append("\n");
  }

  #append(text: string): void {
    this.#text += text;
    this.#show(text);
  }

  #show(text: string): void {
    if (text === "" || this.#shown >= this.#maxBytes) return;
    this.#shown += Buffer.byteLength(text);
    this.#onText(text);
  }
}

/** The first `maxBytes` of UTF-8, at a character's border. */
function cut(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  return new TextDecoder().decode(bytes.subarray(0, maxBytes), { stream: true });
}

function countLines(text: string): number {
  if (text === "") return 0;
  return text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}
