/** Text of a running cell that is kept; what a live view shows is the end of it. */
const KEPT = 50_000;

/**
 * What the running cell of a call has printed so far. A call's updates are one stream of new text, in which each cell of
 * several begins with a line `[2/3] title`.
 */
export class LiveText {
  readonly #count: number;
  #text = "";
  #index = -1;

  constructor(count: number) {
    this.#count = count;
  }

  /** Takes the new text of an update in which the cell `index` was the one that ran, or -1 where none did. */
  add(text: string, index: number): void {
    this.#text += text;
    if (index !== this.#index) this.#begin(index);
    if (this.#text.length > 2 * KEPT) this.#text = this.#text.slice(-KEPT);
  }

  /** The text of a cell that runs; of any other one, "". */
  of(index: number): string {
    return index === this.#index ? this.#text : "";
  }

  #begin(index: number): void {
    this.#index = index;
    if (this.#count === 1) return;
    const heading = `[${index + 1}/${this.#count}]`;
    const start = this.#text.startsWith(heading) ? 0 : this.#text.lastIndexOf(`\n${heading}`) + 1;
    const end = this.#text.startsWith(heading, start) ? this.#text.indexOf("\n", start) + 1 : 0;
    this.#text = end > 0 ? this.#text.slice(end) : "";
  }
}
