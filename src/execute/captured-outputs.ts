import type { Output } from "../output/model.ts";
import type { CellDetails, PythonDetails } from "./model.ts";

interface Entry {
  output: Output;
  displayId: string | undefined;
  cell: CellDetails;
}

/** The types that have a list of their own in the details. */
const IN_LISTS = new Set(["json", "status", "markdown", "image"]);

/** The structured outputs of a call beside its text, by cell. */
export class CapturedOutputs {
  #entries: Entry[] = [];

  /** A display that updates another one (`display_id`) stands in its place. */
  add(outputs: readonly Output[], cell: CellDetails, displayId: string | undefined, update: boolean): void {
    const added = outputs.map((output) => ({ output, displayId, cell }));
    const at = update ? this.#entries.findIndex((entry) => entry.displayId === displayId) : -1;
    if (at < 0) this.#entries.push(...added);
    else {
      const rest = this.#entries.filter((entry) => entry.displayId !== displayId);
      this.#entries = rest.toSpliced(at, 0, ...added);
    }
  }

  /** `clear_output` takes what is shown away; an event has happened all the same. */
  clear(cell: CellDetails): void {
    this.#entries = this.#entries.filter((entry) => entry.cell !== cell || entry.output.type === "status");
  }

  /** Forgets all of a cell: it runs again. */
  drop(cell: CellDetails): void {
    this.#entries = this.#entries.filter((entry) => entry.cell !== cell);
  }

  /** Writes the outputs into the details. */
  fill(details: PythonDetails): void {
    const of = (type: string) => this.#entries.filter((entry) => entry.output.type === type);
    details.jsonOutputs = of("json").map((entry) => entry.output.data);
    details.statusEvents = of("status").map((entry) => entry.output.data);
    details.markdown = of("markdown").map((entry) => String(entry.output.data));
    details.outputs = this.#entries.flatMap(({ output: { file: _, ...output }, cell }) =>
      IN_LISTS.has(output.type) ? [] : [{ ...output, cell: cell.index }],
    );
    for (const cell of details.cells) {
      cell.statusEvents = of("status").flatMap((entry) => (entry.cell === cell ? [entry.output.data] : []));
    }
  }

  /** All of them, in the order in which they stand. */
  get all(): Output[] {
    return this.#entries.map((entry) => entry.output);
  }
}
