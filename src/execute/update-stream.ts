// Tells a call's updates no more often than a reader can use: the first at once, then what has gathered, every
// INTERVAL_MS. `flush` tells what is left; it must be called before the result is given.

import type { Content } from "../output/model.ts";
import type { PythonDetails, RunOptions } from "./model.ts";

const INTERVAL_MS = 30;

export class UpdateStream {
  readonly #onUpdate: RunOptions["onUpdate"];
  readonly #details: () => PythonDetails;
  #content: Content[] = [];
  #changed = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(onUpdate: RunOptions["onUpdate"], details: () => PythonDetails) {
    this.#onUpdate = onUpdate;
    this.#details = details;
  }

  text(text: string): void {
    if (this.#onUpdate === undefined || text === "") return;
    const last = this.#content.at(-1);
    if (last?.type === "text") last.text += text;
    else this.#content.push({ type: "text", text });
    this.changed();
  }

  add(content: Content[]): void {
    if (this.#onUpdate === undefined) return;
    this.#content.push(...content);
    this.changed();
  }

  /** The details are others now. */
  changed(): void {
    if (this.#onUpdate === undefined) return;
    this.#changed = true;
    if (this.#timer === undefined) this.#tell();
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#tell();
  }

  #tell(): void {
    if (!this.#changed) return;
    const content = this.#content;
    this.#content = [];
    this.#changed = false;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#tell();
    }, INTERVAL_MS);
    this.#onUpdate?.({ content, details: structuredClone(this.#details()) });
  }
}
