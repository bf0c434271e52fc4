import type { KernelMessage } from "@jupyterlab/services";
import type { NotebookCell } from "../notebook/read-cells.ts";
import type { CellError } from "./model.ts";
import type { NotebookCellDetails } from "./notebook-model.ts";
import { NotebookOutputs } from "./notebook-outputs.ts";

/** A cell of a run as it stands. */
export interface RunCell {
  cell: NotebookCell;
  status: NotebookCellDetails["status"];
  executionCount: number | null;
  error: CellError | null;
  /** When its messages came, for `metadata.execution`. */
  times: Record<string, string>;
  saved: boolean;
}

/** The cells of a run and their outputs, each by its position in the run. */
export class RunCells {
  readonly all: readonly RunCell[];
  readonly outputs = new NotebookOutputs();
  /** All cells are news to who has heard of none. */
  readonly #news: Set<number>;

  constructor(cells: readonly NotebookCell[]) {
    const fresh = { status: "pending", executionCount: null, error: null, saved: false } as const;
    this.all = cells.map((cell) => ({ ...fresh, cell, times: {} }));
    this.#news = new Set(this.all.keys());
  }

  at(position: number): RunCell {
    return this.all[position] as RunCell;
  }

  /** How many ran. */
  get executed(): number {
    return this.all.filter(({ status }) => status === "complete" || status === "error").length;
  }

  change(position: number, change: Partial<RunCell>): void {
    Object.assign(this.at(position), change);
    this.#news.add(position);
  }

  receive(position: number, message: KernelMessage.IIOPubMessage): void {
    this.outputs.receive(position, message);
    this.#news.add(position);
  }

  /** The positions of cells that are others since the last call, ascending. */
  takeNews(): number[] {
    const news = [...this.#news].sort((left, right) => left - right);
    this.#news.clear();
    return news;
  }
}

/** What a cell is called in a sentence. */
export function nameCell({ index, id }: NotebookCell): string {
  return id === undefined ? `cell ${index}` : `cell ${index} (id ${id})`;
}

export function hasTag({ metadata }: NotebookCell, tag: string): boolean {
  return Array.isArray(metadata.tags) && metadata.tags.includes(tag);
}
