// Writes a run's outputs into its notebook after every cell. Every program sees them at once; a loss of power may take what was
// written in the last second. `finish` waits until all is on the disk and must be called.

import { errorCode } from "../errors.ts";
import { type CellRun, writeCellOutputs } from "../notebook/cell-outputs.ts";
import { type ChangeOptions, syncNotebook } from "../notebook/notebook-file.ts";
import type { WidgetStates } from "../notebook/widget-states.ts";
import type { RunCell, RunCells } from "./run-cells.ts";

const SYNC_INTERVAL_MS = 1000;
/** An editor that saves in place, or removes the file first, leaves it unfinished for a moment: how long that is waited for. */
const UNFINISHED_LIMIT_MS = 2000;
const UNFINISHED_PAUSE_MS = 20;

export class NotebookWriter {
  /** Of the file as it was last written; null before. */
  revision: string | null = null;
  readonly #options: Pick<ChangeOptions, "path" | "cwd" | "force" | "review">;
  readonly #keepsTimes: boolean;
  #syncedAt = performance.now();
  #unsynced = false;

  /** `keepsTimes`: the notebook has times of its cells already, so that they are wanted. */
  constructor(options: Pick<ChangeOptions, "path" | "cwd" | "force" | "review">, keepsTimes: boolean) {
    this.#options = options;
    this.#keepsTimes = keepsTimes;
  }

  /** Writes what has changed, and returns the cells that are gone or have another source now: theirs was not written. */
  async save(cells: RunCells, widgets: WidgetStates | undefined): Promise<RunCell[]> {
    const changed = cells.outputs.takeChanged();
    if (changed.length === 0 && widgets === undefined) return [];
    const runs = changed.map((position) => this.#describe(cells, position));
    const sync = performance.now() - this.#syncedAt >= SYNC_INTERVAL_MS;
    const write = () => writeCellOutputs({ ...this.#options, sync }, runs, widgets);
    const { skipped, revision } = await whenFinished(write);
    if (sync) this.#syncedAt = performance.now();
    this.#unsynced = !sync;
    this.revision = revision;
    for (const [at, position] of changed.entries()) {
      cells.change(position, { saved: !skipped.includes(runs[at] as CellRun) });
    }
    return changed.map((position) => cells.at(position)).filter(({ saved }) => !saved);
  }

  finish(): void {
    if (this.#unsynced) syncNotebook(this.#options.path, this.#options.cwd);
    this.#unsynced = false;
  }

  #describe(cells: RunCells, position: number): CellRun {
    const { cell, executionCount, times } = cells.at(position);
    const { index, id, source } = cell;
    const metadata = this.#keepsTimes ? { metadata: { execution: times } } : {};
    return { index, id, source, outputs: cells.outputs.stored(position), executionCount, ...metadata };
  }
}

async function whenFinished<Written>(write: () => Promise<Written>): Promise<Written> {
  const end = performance.now() + UNFINISHED_LIMIT_MS;
  for (;;) {
    try {
      return await write();
    } catch (error) {
      const isUnfinished = ["invalid_json", "notebook_not_found"].includes(errorCode(error) ?? "");
      if (!isUnfinished || performance.now() > end) throw error;
      await Bun.sleep(UNFINISHED_PAUSE_MS);
    }
  }
}
