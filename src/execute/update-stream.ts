// Tells a call's updates no more often than a reader can use: the first at once, then what has gathered, every
// INTERVAL_MS, to the caller and to those who watch the session. `flush` tells what is left and that it was the end; it must
// be called before the result is given.

import type { Content } from "../output/model.ts";
import type { PythonDetails } from "./model.ts";
import type { CallWatch } from "./session-watchers.ts";

const INTERVAL_MS = 30;

/** Hears of a call's new text and images; how the call stands, whoever wants it asks for, since to copy that may be much. */
export type ContentListener = (content: Content[]) => void;

export class UpdateStream {
  readonly #onUpdate: ContentListener | undefined;
  readonly #details: () => PythonDetails;
  readonly #watch: CallWatch;
  #text = "";
  #changed = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(onUpdate: ContentListener | undefined, details: () => PythonDetails, watch: CallWatch) {
    this.#onUpdate = onUpdate;
    this.#details = details;
    this.#watch = watch;
  }

  text(text: string): void {
    if (!this.#heard || text === "") return;
    this.#text += text;
    this.changed();
  }

  /** The details are others now. */
  changed(): void {
    this.#watch.open(() => this.changed());
    if (!this.#heard) return;
    this.#changed = true;
    if (this.#timer === undefined) this.#tell();
  }

  /** Tells how the call stands without waiting longer. */
  tellNow(): void {
    if (this.#heard) this.#changed = true;
    this.#tellGathered();
  }

  #tellGathered(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#tell();
  }

  flush(): void {
    this.#tellGathered();
    clearTimeout(this.#timer);
    this.#watch.close(this.#details());
  }

  get #heard(): boolean {
    return this.#onUpdate !== undefined || this.#watch.wanted;
  }

  #tell(): void {
    if (!this.#changed) return;
    const content: Content[] = this.#text === "" ? [] : [{ type: "text", text: this.#text }];
    this.#text = "";
    this.#changed = false;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#tell();
    }, INTERVAL_MS);
    this.#onUpdate?.(content);
    if (this.#watch.wanted) this.#watch.tell({ content, details: structuredClone(this.#details()) });
  }
}
