// The text of one call: what each cell wrote, under its heading, bounded and spilled to one artifact. A call of one cell has
// one sink; of several, each cell has its own, because `clear_output` clears a cell, and is added to the call's at its end.
// `finish` closes what is open; it must be called.

import type { ArtifactFile } from "../output/artifact-file.ts";
import type { ArtifactStore } from "../output/artifacts.ts";
import { type OutputDump, OutputSink } from "../output/streaming-output.ts";

/** `openArtifact` begins one of the artifacts of `artifacts` for this call; `onText` hears new text while it comes. */
export interface CallTextOptions {
  maxBytes: number;
  cells: number;
  artifacts: ArtifactStore;
  openArtifact(): ArtifactFile;
  onText(text: string): void;
}

export class CallText {
  readonly #options: CallTextOptions;
  readonly #call: OutputSink;
  cell: OutputSink;

  constructor(options: CallTextOptions) {
    this.#options = options;
    // The call's own sink tells nothing where each cell's has told it already.
    this.#call = this.#open(options.cells === 1);
    this.cell = this.#call;
  }

  /** A line of our own between the cells of a call that has several. */
  line(text: string): void {
    this.#call.pushBlock(text);
    this.#options.onText(`${text}\n`);
  }

  beginCell(): void {
    if (this.#options.cells > 1) this.cell = this.#open(true);
  }

  /** The cell's text, as much of it as is shown. */
  endCell(): OutputDump {
    const cell = this.cell;
    if (cell === this.#call) return cell.dump();
    cell.startLine();
    const dump = cell.finish();
    this.#add(dump);
    return dump;
  }

  finish(): OutputDump {
    return this.#call.finish();
  }

  #open(tells: boolean): OutputSink {
    const { maxBytes, openArtifact, onText } = this.#options;
    return new OutputSink({ maxBytes, openArtifact, ...(tells ? { onText } : {}) });
  }

  /** The whole of a cell's text goes into the call's; where it had left memory it is read back from the cell's artifact. */
  #add(dump: OutputDump): void {
    const { artifacts } = this.#options;
    if (dump.artifactId === undefined) {
      this.#call.push(dump.text);
      return;
    }
    this.#call.pushFile(artifacts.find(dump.artifactId).path);
    artifacts.discard(dump.artifactId);
  }
}
