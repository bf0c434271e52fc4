import { resolve } from "node:path";
import { insertCell } from "./cell-edits.ts";
import { parseNotebook } from "./document.ts";
import { newCellId } from "./new-cell-id.ts";
import { checkNew, createFile } from "./new-file.ts";
import { writeRefused } from "./notebook-errors.ts";
import type { NotebookReview } from "./notebook-file.ts";
import { revisionOf } from "./revision.ts";
import type { CellType } from "./source.ts";
import { splice } from "./splice.ts";

/** What a new notebook is made with. */
export interface NewNotebook {
  path: string;
  cwd: string;
  /** The name of a kernelspec; by default Jupyter's own for Python. */
  kernel?: string | undefined;
  /** The source of a first cell. */
  content?: string | undefined;
  cellType?: CellType | undefined;
  /** Write nothing, and give the new file as a diff. */
  dryRun?: boolean | undefined;
  /** Is asked before the file is made. */
  review?: NotebookReview | undefined;
}

/** A new notebook as it is on the disk, or of a dry run as it would be. */
export interface CreatedNotebook {
  totalCells: number;
  cellId: string | null;
  revision: string;
  diff?: string;
}

/** Kernelspecs whose display name and language everybody knows; others are completed by the first front end that opens it. */
const KNOWN_KERNELS: Record<string, { display_name: string; language: string }> = {
  python3: { display_name: "Python 3 (ipykernel)", language: "python" },
  ir: { display_name: "R", language: "R" },
  bash: { display_name: "Bash", language: "bash" },
  deno: { display_name: "Deno", language: "typescript" },
};

/** Writes a new notebook of nbformat 4.5. Throws `notebook_exists`, `write_failed` and `write_refused`. */
export async function createNotebook(options: NewNotebook): Promise<CreatedNotebook> {
  const { path, cwd, content, cellType = "code", dryRun, review } = options;
  const empty = Buffer.from(`${JSON.stringify(emptyNotebook(options.kernel ?? "python3"), null, 1)}\n`);
  const document = parseNotebook(empty, path);
  const id = content === undefined ? undefined : newCellId(document, 0, content);
  const cell = content === undefined ? [] : insertCell(document, 0, { type: cellType, content, id });
  const bytes = Buffer.concat(splice(empty, cell));
  const created = { totalCells: content === undefined ? 0 : 1, cellId: id ?? null, revision: revisionOf([bytes]) };
  const target = resolve(cwd, path);
  checkNew(target, path);
  if (dryRun) return { ...created, diff: await diffOf(bytes, path) };
  const refusal = await review?.(target, () => bytes.toString());
  if (refusal !== undefined) throw writeRefused(path, refusal);
  await createFile(target, path, bytes);
  return created;
}

async function diffOf(bytes: Buffer, path: string): Promise<string> {
  const { unifiedDiff } = await import("./unified-diff.ts");
  return unifiedDiff([], bytes.toString().split(/(?<=\n)/), ["/dev/null", path]);
}

function emptyNotebook(kernel: string) {
  const known = KNOWN_KERNELS[kernel];
  const kernelspec = { display_name: kernel, ...known, name: kernel };
  const language = known === undefined ? {} : { language_info: { name: known.language } };
  return { cells: [], metadata: { kernelspec, ...language }, nbformat: 4, nbformat_minor: 5 };
}
