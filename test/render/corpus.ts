import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readNotebook } from "../../src/notebook/notebook-file.ts";
import { readCell, readOutputs } from "../../src/notebook/read-cells.ts";
import { MimeRegistry } from "../../src/output/mime-registry.ts";
import { BUILT_IN_RENDERERS } from "../../src/render/built-in-renderers.ts";
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

/** Handlers like the built-in plugins', as far as they matter for what is seen. */
export function outputRendering(): OutputRendering {
  const image = (mime: string) => ({ mime, capture: (data: unknown) => ({ type: "image", data }) });
  const mime = new MimeRegistry([
    image("image/png"),
    image("image/jpeg"),
    { mime: "application/json", capture: (data: unknown) => ({ type: "json", data }) },
    { mime: "text/markdown", rank: 80, text: String },
    { mime: "text/html", rank: 60, text: (data: unknown) => Bun.stripANSI(String(data)).replace(/<[^>]*>/g, " ") },
    { mime: "text/latex", rank: 50, text: String },
  ]);
  return { mime, renderers: new RendererRegistry(BUILT_IN_RENDERERS) };
}
