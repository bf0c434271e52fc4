import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { NotebookRequest, NotebookRunOptions } from "../../src/execute/notebook-model.ts";
import { type LiveExecutor, type LiveOptions, liveExecutor } from "./live-executor.ts";

/** A cell of a test's notebook: its source, or all of it. */
export type TestCell = string | Record<string, unknown>;

/** A notebook in nbformat's form with ids `a`, `b`, `c`... */
export function testNotebook(cells: readonly TestCell[], metadata: Record<string, unknown> = {}) {
  return {
    cells: cells.map((cell, index) => ({
      cell_type: "code",
      execution_count: null,
      id: String.fromCharCode(97 + index),
      metadata: {},
      outputs: [],
      ...(typeof cell === "string" ? { source: cell } : cell),
    })),
    metadata: { kernelspec: { name: "python3", display_name: "Python 3", language: "python" }, ...metadata },
    nbformat: 4,
    nbformat_minor: 5,
  };
}

/** A notebook in a folder of a live executor. */
export interface LiveNotebook extends LiveExecutor {
  path: string;
  write(notebook: unknown): void;
  /** The file as it is. */
  read(path?: string): { cells: TestFileCell[]; metadata: Record<string, unknown> };
  runNotebook(
    more?: Partial<NotebookRequest>,
    options?: Partial<NotebookRunOptions>,
  ): Promise<Awaited<ReturnType<LiveExecutor["executor"]["runNotebook"]>> & { text: string }>;
}

/** A cell as a test reads it from a file. */
export interface TestFileCell {
  id: string;
  source: string | string[];
  execution_count: number | null;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever fields it is about
  outputs: any[];
  metadata: Record<string, unknown>;
}

export function liveNotebook(kernel: string, notebook: unknown, options: LiveOptions = {}): LiveNotebook {
  const live = liveExecutor(kernel, options);
  const path = join(live.cwd, "n.ipynb");
  const write = (value: unknown) => writeFileSync(path, `${JSON.stringify(value, null, 1)}\n`);
  write(notebook);
  return {
    ...live,
    path,
    write,
    read: (other = path) => JSON.parse(readFileSync(other, "utf8")),
    async runNotebook(more = {}, options = {}) {
      const { cwd, environment, settings } = live.request([]);
      const request = { path: "n.ipynb", cwd, environment, settings, timeout: 60, ...more };
      const signal = new AbortController().signal;
      const result = await live.executor.runNotebook(request, { signal, ...options });
      return { ...result, text: result.content.map((block) => (block.type === "text" ? block.text : "")).join("") };
    },
  };
}

/** The text of a cell's streams, results and errors, in order. */
export function shown(cell: TestFileCell | undefined): string {
  return (cell?.outputs ?? [])
    .map(({ text, data, ename, evalue }) => {
      if (ename !== undefined) return `${ename}: ${evalue}`;
      const value = text ?? data["text/plain"];
      return Array.isArray(value) ? value.join("") : value;
    })
    .join("|");
}
