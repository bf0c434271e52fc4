// Which source each cell of a notebook last ran with, in Nuthatch's own state: nothing of it is in the notebook. Read when a
// run begins, written at most once a second and by `save` at its end.

import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errorMessage } from "../errors.ts";
import { logLine } from "../log.ts";
import type { NotebookCell } from "../notebook/read-cells.ts";

/** Notebooks that are remembered; those that ran longest ago are forgotten. */
const MOST_NOTEBOOKS = 1000;
const INTERVAL_MS = 1000;

export class RunHistory {
  readonly #file: string;
  /** Hashes of sources, by what stands for the cell. */
  readonly #sources: Map<string, string>;
  #keys = new Map<number, string>();
  #writtenAt = 0;
  #changed = false;

  /** The history of a notebook, by its real path. */
  constructor(
    private readonly folder: string,
    private readonly notebook: string,
  ) {
    this.#file = join(folder, `${hashOf(notebook)}.json`);
    this.#sources = readSources(this.#file, notebook);
  }

  /** Code cells that never ran to their end, or have another source since. */
  findStale(cells: readonly NotebookCell[]): NotebookCell[] {
    const keys = keysOf(cells);
    return cells.filter(
      ({ type, index, source }) => type === "code" && this.#sources.get(keys.get(index) as string) !== hashOf(source),
    );
  }

  /** Begins a run of a notebook that has these cells; what is known of others is forgotten. */
  begin(cells: readonly NotebookCell[]): void {
    this.#keys = keysOf(cells);
    const present = new Set(this.#keys.values());
    for (const key of this.#sources.keys()) if (!present.has(key)) this.#sources.delete(key);
  }

  /** A cell ran to its end, or failed and is to run again. */
  record({ index, source }: NotebookCell, completed: boolean): void {
    const key = this.#keys.get(index);
    if (key === undefined) return;
    if (completed) this.#sources.set(key, hashOf(source));
    else this.#sources.delete(key);
    this.#changed = true;
    if (performance.now() - this.#writtenAt > INTERVAL_MS) this.save();
  }

  /** Writes what has changed. A history that cannot be kept only makes more cells stale. */
  save(): void {
    if (!this.#changed) return;
    this.#changed = false;
    this.#writtenAt = performance.now();
    try {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 });
      const part = `${this.#file}.${process.pid}.part`;
      const content = { notebook: this.notebook, sources: Object.fromEntries(this.#sources) };
      writeFileSync(part, JSON.stringify(content), { mode: 0o600 });
      renameSync(part, this.#file);
      forgetOldest(this.folder);
    } catch (error) {
      logLine(`which cells of ${this.notebook} ran could not be kept: ${errorMessage(error)}`);
    }
  }
}

/** A cell goes by its id; without one (before nbformat 4.5) by its source, and which of those with that source it is. */
function keysOf(cells: readonly NotebookCell[]): Map<number, string> {
  const counts = new Map<string, number>();
  return new Map(
    cells.map(({ index, id, source }) => {
      const name = id === undefined ? `source ${hashOf(source)}` : `id ${id}`;
      const count = counts.get(name) ?? 0;
      counts.set(name, count + 1);
      return [index, count === 0 ? name : `${name} ${count}`];
    }),
  );
}

function hashOf(text: string): string {
  return Bun.hash.xxHash3(text).toString(16).padStart(16, "0");
}

function readSources(file: string, notebook: string): Map<string, string> {
  try {
    const read = JSON.parse(readFileSync(file, "utf8")) as { notebook: string; sources: Record<string, string> };
    return new Map(read.notebook === notebook ? Object.entries(read.sources) : []);
  } catch {
    return new Map();
  }
}

function forgetOldest(folder: string): void {
  const names = readdirSync(folder);
  if (names.length <= MOST_NOTEBOOKS) return;
  const ages = names.map((name) => ({
    name,
    at: statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0,
  }));
  for (const { name } of ages.sort((left, right) => left.at - right.at).slice(0, names.length - MOST_NOTEBOOKS)) {
    rmSync(join(folder, name), { force: true });
  }
}
