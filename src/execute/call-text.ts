// The text of one call: what each cell wrote, under its heading, bounded and spilled to one artifact. A call of one cell has
// one sink; of several, each cell has its own until the end, because `clear_output` clears a cell and a display of an earlier
// cell can still change. `finish` puts them together and closes what is open; it must be called.

import type { ArtifactFile } from "../output/artifact-file.ts";
import type { ArtifactStore } from "../output/artifacts.ts";
import { type OutputDump, OutputSink, toBlock } from "../output/streaming-output.ts";
import type { CellDetails } from "./model.ts";

/** `openArtifact` begins one of the artifacts of `artifacts` for this call; `onText` hears new text while it comes. */
export interface CallTextOptions {
  maxBytes: number;
  cells: number;
  artifacts: ArtifactStore;
  openArtifact(): ArtifactFile;
  onText(text: string): void;
}

const SILENT = "(ok)";

interface CellText {
  cell: CellDetails;
  heading: string;
  sink: OutputSink;
}

export class CallText {
  readonly #options: CallTextOptions;
  readonly #cells: CellText[] = [];
  /** The text told so far ends within a line. */
  #open = false;
  /** The running cell's. */
  cell: OutputSink;

  constructor(options: CallTextOptions) {
    this.#options = options;
    this.cell = this.#openSink((text) => this.#tell(text));
  }

  /** Begins a cell, under its heading where the call has several. */
  beginCell(cell: CellDetails): void {
    const { title, index } = cell;
    const heading = `[${index + 1}/${this.#options.cells}]${title === null ? "" : ` ${title}`}`;
    if (!this.#isOne) {
      this.#tell(toBlock(heading));
      this.cell = this.#openSink((text) => this.#tell(text));
    }
    this.#cells.push({ cell, heading, sink: this.cell });
  }

  /** Gives the cell, whose status says by now that it has ended, as much of its output as is shown. */
  endCell(): void {
    const ended = this.#cells.at(-1);
    if (ended === undefined) return;
    if (!this.#isOne) ended.sink.startLine();
    ended.cell.output = (this.#isOne ? ended.sink.dump() : ended.sink.finish()).text;
    if (!this.#isOne && isSilent(ended)) this.#tell(toBlock(SILENT));
  }

  /**
   * Shows a display. One that updates another (`display_id`), or has the id of one, changes the text of all that have it, in
   * earlier cells as well. Where none of them is left in memory an artifact already holds the text as it was, or an earlier
   * call has given it out: an update then stands at the end, and says which display it is of. Who follows the stream is told
   * the new text as it comes.
   */
  display(text: string, id: string | undefined, update: boolean): void {
    if (id !== undefined && update && this.change(id, text)) return;
    if (id !== undefined && !update) this.#replace(id, text);
    if (update && id !== undefined && text !== "") this.cell.pushBlock(`[display ${oneLine(id)}, updated]`);
    if (text !== "" || id !== undefined) this.cell.pushBlock(text, id);
  }

  /** Changes the text of the displays of an id where they stand, and tells it; false when none is left in memory. */
  change(id: string, text: string): boolean {
    const isChanged = this.#replace(id, text);
    if (isChanged) this.#tell((this.#open ? "\n" : "") + toBlock(text));
    return isChanged;
  }

  finish(): OutputDump {
    if (this.#isOne) return this.cell.finish();
    const call = this.#openSink();
    for (const text of this.#cells) {
      call.pushBlock(text.heading);
      if (isSilent(text)) call.pushBlock(SILENT);
      call.append(text.sink);
      if (text.sink.artifactId !== undefined) this.#options.artifacts.discard(text.sink.artifactId);
    }
    return call.finish();
  }

  get #isOne(): boolean {
    return this.#options.cells <= 1;
  }

  #replace(id: string, text: string): boolean {
    const changed = this.#cells.filter(({ sink }) => sink.replaceBlock(id, text));
    for (const { cell, sink } of changed) if (cell.status !== "running") cell.output = sink.dump().text;
    return changed.length > 0;
  }

  #tell(text: string): void {
    if (text === "") return;
    this.#open = !text.endsWith("\n");
    this.#options.onText(text);
  }

  #openSink(onText?: (text: string) => void): OutputSink {
    const { maxBytes, openArtifact } = this.#options;
    return new OutputSink({ maxBytes, openArtifact, ...(onText === undefined ? {} : { onText }) });
  }
}

/** A cell that ended well and has no output, which several say of themselves. */
function isSilent({ cell, sink }: CellText): boolean {
  return cell.status === "complete" && sink.isEmpty;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").slice(0, 100);
}
