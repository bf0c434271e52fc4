// Watches notebooks for changes of their cells' sources. Open from the first call of `next`; the signal closes it.

import { type FSWatcher, watch } from "node:fs";
import { basename, dirname } from "node:path";
import { realNotebookPath } from "../notebook/notebook-path.ts";
import { readCells } from "../notebook/read-cells.ts";

/** How long a file must be left alone before it is read, in milliseconds: editors write it in several steps. */
const QUIET_MS = 100;

export class NotebookWatch implements Disposable {
  readonly #sources = new Map<string, string>();
  readonly #watchers: FSWatcher[];
  /** Those that were written, and those of them that have been left alone since. */
  readonly #written = new Set<string>();
  readonly #touched = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #wake: () => void = () => {};

  /** The folders are watched, since a file that is replaced is another one. */
  constructor(
    paths: readonly string[],
    private readonly cwd: string,
  ) {
    const files = paths.map((path) => ({ path, file: realNotebookPath(path, cwd) }));
    const folders = Map.groupBy(files, ({ file }) => dirname(file));
    this.#watchers = [...folders].map(([folder, inside]) =>
      watch(folder, (_, name) => {
        for (const { path, file } of inside) if (name === null || name === basename(file)) this.#touch(path);
      }),
    );
  }

  /** Takes the sources as they are for known. */
  async know(path: string): Promise<void> {
    this.#sources.set(path, (await this.#read(path)) ?? "");
  }

  /** Waits until code cells of a notebook have other sources; undefined when the signal aborts. */
  async next(signal: AbortSignal): Promise<string | undefined> {
    const { promise, resolve: stop } = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => stop(), { once: true });
    while (!signal.aborted) {
      for (const path of this.#touched) {
        this.#touched.delete(path);
        const sources = await this.#read(path);
        if (sources !== undefined && sources !== this.#sources.get(path)) return path;
      }
      const woken = new Promise<void>((wake) => {
        this.#wake = wake;
      });
      if (this.#touched.size === 0) await Promise.race([woken, promise]);
    }
    return undefined;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers) watcher.close();
  }

  #touch(path: string): void {
    this.#written.add(path);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      for (const one of this.#written) this.#touched.add(one);
      this.#written.clear();
      this.#wake();
    }, QUIET_MS);
  }

  /** The sources of all code cells as one text; undefined where the file cannot be read just now. */
  async #read(path: string): Promise<string | undefined> {
    try {
      const { cells } = await readCells(path, this.cwd);
      return JSON.stringify(cells.filter(({ type }) => type === "code").map(({ id, source }) => [id, source]));
    } catch {
      return undefined;
    }
  }
}
