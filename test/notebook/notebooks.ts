import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The collection of real notebooks beside the project; tests that need it are skipped by name where it is absent. */
const CORPUS = join(import.meta.dir, "..", "..", "..", "shared", "corpus");
export const HAS_CORPUS = existsSync(join(CORPUS, "MANIFEST.json"));

/** What the corpus says of one of its files. */
export interface CorpusFile {
  file: string;
  path: string;
  tags: string[];
  baseline: { json: string; nbformat: string };
}

/** All notebooks of the corpus, or none. */
export function corpusFiles(): CorpusFile[] {
  if (!HAS_CORPUS) return [];
  const manifest = JSON.parse(readFileSync(join(CORPUS, "MANIFEST.json"), "utf8")) as
    | CorpusFile[]
    | { files: CorpusFile[] };
  const known = Array.isArray(manifest) ? manifest : manifest.files;
  const names = new Set(readdirSync(join(CORPUS, "notebooks")));
  return known
    .filter(({ file }) => names.has(file))
    .map((entry) => ({ ...entry, path: join(CORPUS, "notebooks", entry.file) }));
}

/** A notebook in the canonical form, with a final newline. */
export function canonical(notebook: unknown): string {
  return `${JSON.stringify(notebook, null, 1)}\n`;
}

/** A notebook with the cells given; metadata and format are Jupyter's usual ones. */
export function notebookOf(cells: unknown[], minor = 5): Record<string, unknown> {
  const kernelspec = { display_name: "Python 3", language: "python", name: "python3" };
  return { cells, metadata: { kernelspec }, nbformat: 4, nbformat_minor: minor };
}

/** A code cell as nbformat writes it. */
export function codeCell(
  id: string | undefined,
  source: string[],
  outputs: unknown[] = [],
  count: number | null = null,
) {
  return {
    cell_type: "code",
    execution_count: count,
    ...(id === undefined ? {} : { id }),
    metadata: {},
    outputs,
    source,
  };
}

/** A markdown cell as nbformat writes it. */
export function markdownCell(id: string | undefined, source: string[]) {
  return { cell_type: "markdown", ...(id === undefined ? {} : { id }), metadata: {}, source };
}
