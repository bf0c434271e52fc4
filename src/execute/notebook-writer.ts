// Writes a run's outputs into its notebook after every cell. Every program sees them at once; a loss of power may take what was
// written in the last second. `finish` waits until all is on the disk and must be called.

import { statSync } from "node:fs";
import { resolve } from "node:path";
import { errorCode } from "../errors.ts";
import { type CellRun, writeCellOutputs } from "../notebook/cell-outputs.ts";
import { type ChangeOptions, syncNotebook } from "../notebook/notebook-file.ts";
import type { WidgetStates } from "../notebook/widget-states.ts";
import type { RunCell, RunCells } from "./run-cells.ts";

const SYNC_INTERVAL_MS = 1000;
/** An editor that saves in place, or removes the file first, leaves it unfinished for a moment: how long that is waited for. */
const UNFINISHED_LIMIT_MS = 2000;
const UNFINISHED_PAUSE_MS = 20;
/**
 * A file that somebody else has just written is left alone for so long: Jupyter Server looks at the file once more after it has
 * saved it, and would take what we write just then for what it wrote, and overwrite it at the next save without asking.
 */
const FOREIGN_GRACE_MS = 500;

export class NotebookWriter {
  /** Of the file as it was last written; null before, and once that has failed. */
  revision: string | null = null;
  readonly #options: Pick<ChangeOptions, "path" | "cwd" | "force" | "review">;
  #syncedAt = performance.now();
  #unsynced = false;
  /** The file as it was last seen, before the run or after a write of ours. */
  #seen: string;

  constructor(options: Pick<ChangeOptions, "path" | "cwd" | "force" | "review">) {
    this.#options = options;
    this.#seen = this.#look().state;
  }

  /** Writes what has changed, and returns the cells that are gone or have another source now: theirs was not written. */
  async save(cells: RunCells, widgets: WidgetStates | undefined): Promise<RunCell[]> {
    const changed = cells.outputs.takeChanged();
    if (changed.length === 0 && widgets === undefined) return [];
    const runs = changed.map((position) => this.#describe(cells, position));
    const sync = performance.now() - this.#syncedAt >= SYNC_INTERVAL_MS;
    const write = async () => {
      await this.#leaveAlone();
      return await writeCellOutputs({ ...this.#options, sync }, runs, widgets);
    };
    const { skipped, revision } = await whenFinished(write);
    this.#seen = this.#look().state;
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

  async #leaveAlone(): Promise<void> {
    for (;;) {
      const { state, age } = this.#look();
      if (state === this.#seen || age < 0 || age > FOREIGN_GRACE_MS) return;
      await Bun.sleep(FOREIGN_GRACE_MS - age + 1);
    }
  }

  /** What tells whether the file is another one, and how long ago it was written, in milliseconds. */
  #look(): { state: string; age: number } {
    const stat = statSync(resolve(this.#options.cwd, this.#options.path), { throwIfNoEntry: false });
    if (stat === undefined) return { state: "", age: Number.POSITIVE_INFINITY };
    return { state: `${stat.ino} ${stat.mtimeMs} ${stat.size}`, age: Date.now() - stat.mtimeMs };
  }

  #describe(cells: RunCells, position: number): CellRun {
    const { cell, executionCount, times } = cells.at(position);
    const { index, id, source } = cell;
    const metadata = { execution: times };
    return { index, id, source, outputs: cells.outputs.stored(position), executionCount, metadata };
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
