import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { BUILT_IN_PLUGINS } from "../../plugins/index.ts";
import { readNotebook } from "../../src/notebook/notebook-file.ts";
import { readCell, readOutputs } from "../../src/notebook/read-cells.ts";
import { loadPlugins } from "../../src/plugin/load-plugins.ts";
import type { ShownNotebook } from "../../src/render/notebook/notebook-lines.ts";
import { readOldCells } from "../../src/render/notebook/old-notebook.ts";
import type { OutputRendering } from "../../src/render/notebook/output-lines.ts";
import { RendererRegistry } from "../../src/render/renderer-registry.ts";

const FOLDER = join(import.meta.dir, "../../../shared/corpus/notebooks");

/** Whether the corpus of public notebooks lies beside the project. */
export const HAS_CORPUS = existsSync(FOLDER);

/** The names of the corpus notebooks that are JSON. */
export function corpusNames(): string[] {
  if (!HAS_CORPUS) return [];
  return readdirSync(FOLDER).filter((name) => name.endsWith(".ipynb") && !/^(12-zero|14-empty|17-broken)/.test(name));
}

/** A notebook of the corpus as it is handed to the renderer. */
export async function readCorpus(name: string): Promise<ShownNotebook> {
  const old = /^0[125]-/.test(name) ? readOldCells(JSON.parse(readFileSync(join(FOLDER, name), "utf8"))) : undefined;
  if (old !== undefined) return { name, cellCount: old.length, cells: old };
  const { document } = await readNotebook(name, FOLDER);
  const cells = document.cells.map((_, index) => ({
    ...readCell(document, index),
    outputs: readOutputs(document, index),
  }));
  return { name, kernel: "Python 3 \x1b[41m", language: "python", cellCount: cells.length, cells };
}

/** The handlers and renderers of the built-in plugins. */
export async function outputRendering(): Promise<OutputRendering> {
  const { mime, renderers } = await loadPlugins({ builtIns: BUILT_IN_PLUGINS });
  return { mime, renderers: new RendererRegistry(renderers) };
}
