import { cellIdAt, cellTypeAt } from "./address.ts";
import { cellMembers, findMember, type NotebookDocument, readValue } from "./document.ts";
import { readNotebook } from "./notebook-file.ts";
import { readSource } from "./source.ts";

/** One cell as a reader needs it; `type` is as in the file, also one that nbformat does not know. */
export interface NotebookCell {
  index: number;
  id: string | undefined;
  type: string;
  source: string;
  metadata: Record<string, unknown>;
  executionCount: number | null;
}

/** A notebook's cells, and its own metadata with `kernelspec` and `language_info` where it has them. */
export interface NotebookContents {
  metadata: Record<string, unknown>;
  cells: NotebookCell[];
}

/** Reads all cells of a notebook, without their outputs. */
export async function readCells(path: string, cwd: string): Promise<NotebookContents & { revision: string }> {
  const { document, revision } = await readNotebook(path, cwd);
  return { revision, ...readContents(document) };
}

/** All cells of a document, without their outputs. */
export function readContents(document: NotebookDocument): NotebookContents {
  return {
    metadata: readMetadata(document),
    cells: document.cells.map((_, index) => readCell(document, index)),
  };
}

/** The notebook's own metadata. */
export function readMetadata({ bytes, members }: NotebookDocument): Record<string, unknown> {
  return readObject(bytes, findMember(members, "metadata"));
}

/** Reads one cell, without its outputs. */
export function readCell(document: NotebookDocument, index: number): NotebookCell {
  const { bytes } = document;
  const members = cellMembers(document, index);
  const count = findMember(members, "execution_count");
  const executionCount = count === undefined ? null : readValue(bytes, count);
  return {
    index,
    id: cellIdAt(document, index),
    type: cellTypeAt(document, index),
    source: readSource(bytes, members),
    metadata: readObject(bytes, findMember(members, "metadata")),
    executionCount: typeof executionCount === "number" ? executionCount : null,
  };
}

/** The stored outputs of a cell, in nbformat's form. */
export function readOutputs(document: NotebookDocument, index: number): unknown[] {
  const outputs = findMember(cellMembers(document, index), "outputs");
  const value = outputs === undefined ? [] : readValue(document.bytes, outputs);
  return Array.isArray(value) ? value : [];
}

function readObject(bytes: Buffer, span: Parameters<typeof readValue>[1] | undefined): Record<string, unknown> {
  const value = span === undefined ? {} : readValue(bytes, span);
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
