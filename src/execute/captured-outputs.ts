import type { Output } from "../output/model.ts";
import type { HeldFile, OutputKeeper } from "../output/output-keeper.ts";
import type { CellDetails, PythonDetails } from "./model.ts";

/** One display: all that its bundle came to. */
interface Entry {
  outputs: CapturedOutput[];
  displayId: string | undefined;
  cell: CellDetails;
}

/** An output without the bytes of its picture and its file, which are held elsewhere. */
interface CapturedOutput {
  output: Output;
  files: HeldFile[];
}

/** The types that have a list of their own in the details. */
const IN_LISTS = new Set(["json", "status", "markdown", "image"]);

/** The structured outputs of a call beside its text, by cell. */
export class CapturedOutputs {
  readonly #keeper: OutputKeeper;
  #entries: Entry[] = [];

  constructor(keeper: OutputKeeper) {
    this.#keeper = keeper;
  }

  /** Adds a display. One that updates another (`display_id`), or has the id of one, stands in the place of all that have it. */
  add(outputs: readonly Output[], cell: CellDetails, displayId: string | undefined, update: boolean): void {
    const same = displayId === undefined ? [] : this.#entries.filter((entry) => entry.displayId === displayId);
    for (const entry of same) {
      this.#release(entry.outputs);
      entry.outputs = this.#capture(outputs);
    }
    if (update && same.length > 0) return;
    if (outputs.length > 0 || displayId !== undefined)
      this.#entries.push({ outputs: this.#capture(outputs), displayId, cell });
  }

  /** `clear_output` takes what is shown away; an event has happened all the same. */
  clear(cell: CellDetails): void {
    this.#reduce(cell, ({ output }) => output.type === "status");
  }

  /** Forgets all of a cell: it runs again. */
  drop(cell: CellDetails): void {
    this.#reduce(cell, () => false);
  }

  /** Writes the outputs into the details. */
  fill(details: PythonDetails): void {
    const all = this.#all;
    const of = (type: string) => all.filter(({ output }) => output.type === type);
    const dataOf = (type: string) => of(type).map(({ output }) => output.data);
    details.jsonOutputs = dataOf("json");
    details.statusEvents = dataOf("status");
    details.markdown = dataOf("markdown").map(String);
    const others = all.filter(({ output }) => !IN_LISTS.has(output.type));
    details.outputs = others.map(({ output, files, cell }) => ({ ...output, ...artifactOf(files), cell }));
    const cellsOf = (type: string) => of(type).map(({ cell }) => cell);
    details.cellIndexes = { jsonOutputs: cellsOf("json"), markdown: cellsOf("markdown"), images: this.#pictureCells };
    const events = Map.groupBy(of("status"), ({ cell }) => cell);
    for (const cell of details.cells) {
      cell.statusEvents = (events.get(cell.index) ?? []).map(({ output }) => output.data);
    }
  }

  /** The bytes of all of them, in the order in which they stand. */
  get files(): HeldFile[] {
    return this.#all.flatMap(({ files }) => files);
  }

  get #all(): (CapturedOutput & { cell: number })[] {
    return this.#entries.flatMap(({ outputs, cell }) => outputs.map((captured) => ({ ...captured, cell: cell.index })));
  }

  get #pictureCells(): number[] {
    return this.#all.flatMap(({ files, cell }) => files.filter(({ isPicture }) => isPicture).map(() => cell));
  }

  #capture(outputs: readonly Output[]): CapturedOutput[] {
    return outputs.map((output) => {
      const files = this.#keeper.take(output);
      const { file: _, ...rest } = output;
      return { output: files.some(({ isPicture }) => isPicture) ? { ...rest, data: null } : rest, files };
    });
  }

  #reduce(cell: CellDetails, stays: (captured: CapturedOutput) => boolean): void {
    for (const entry of this.#entries.filter((candidate) => candidate.cell === cell)) {
      this.#release(entry.outputs.filter((captured) => !stays(captured)));
      entry.outputs = entry.outputs.filter(stays);
      entry.displayId = undefined;
    }
    this.#entries = this.#entries.filter((entry) => entry.cell !== cell || entry.outputs.length > 0);
  }

  #release(outputs: readonly CapturedOutput[]): void {
    for (const { files } of outputs) this.#keeper.drop(files);
  }
}

/** Where the file of an output is, once it is saved. */
function artifactOf([file]: readonly HeldFile[]): { artifactId?: string | null } {
  return file?.saved === undefined ? {} : { artifactId: file.saved.artifact?.id ?? null };
}
