// The text of one call: what each cell wrote, under its heading, bounded and spilled to one artifact. A call of one cell has
// one sink; of several, each cell has its own, because `clear_output` clears a cell, and is added to the call's at its end, where it is not told again.
// `finish` closes what is open; it must be called.

import { readFileSync } from "node:fs";
import type { ArtifactOrigin, ArtifactStore } from "../output/artifacts.ts";
import { type OutputDump, OutputSink } from "../output/streaming-output.ts";

/** `origin` is what an artifact of this call is filed under; `onText` hears new text while it comes. */
export interface CallTextOptions {
  maxBytes: number;
  cells: number;
  artifacts: ArtifactStore;
  origin: ArtifactOrigin;
  onText(text: string): void;
}

export class CallText {
  readonly #options: CallTextOptions;
  readonly #call: OutputSink;
  /** Text of the call was shown before the cell. */
  #begun = false;
  cell: OutputSink;

  constructor(options: CallTextOptions) {
    this.#options = options;
    this.#call = this.#open((text) => {
      if (this.cell === this.#call) options.onText(text);
    });
    this.cell = this.#call;
  }

  /** A line of our own between the cells. */
  line(text: string): void {
    this.#begun = true;
    this.#call.pushBlock(text);
    if (this.#call !== this.cell) this.#options.onText(`${text}\n`);
  }

  beginCell(): void {
    const alone = this.#options.cells === 1 && !this.#begun;
    this.cell = alone ? this.#call : this.#open(this.#options.onText);
  }

  /** The cell's text, as much of it as is shown. */
  endCell(): OutputDump {
    const cell = this.cell;
    if (cell === this.#call) {
      cell.startLine();
      return cell.dump();
    }
    cell.startLine();
    const dump = cell.finish();
    this.#add(dump);
    return dump;
  }

  finish(): OutputDump {
    return this.#call.finish();
  }

  #open(onText: (text: string) => void): OutputSink {
    const { maxBytes, artifacts, origin } = this.#options;
    return new OutputSink({ maxBytes, openArtifact: () => artifacts.open(origin), onText });
  }

  /** The whole of a cell's text goes into the call's; where it had left memory it is read back from the cell's artifact. */
  #add(dump: OutputDump): void {
    const { artifacts } = this.#options;
    if (dump.artifactId === undefined) {
      this.#call.push(dump.text);
      return;
    }
    this.#call.push(readFileSync(artifacts.find(dump.artifactId).path));
    artifacts.discard(dump.artifactId);
  }
}
