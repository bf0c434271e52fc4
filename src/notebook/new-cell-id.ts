import type { NotebookDocument } from "./document.ts";

/**
 * An id for a cell that is inserted, unlike any in the notebook; undefined where cells have none (before nbformat 4.5). It is
 * derived from the notebook and the cell, so that the same call on the same file gives the same bytes.
 */
export function newCellId(document: NotebookDocument, index: number, content: string): string | undefined {
  if (!document.hasIds) return undefined;
  const { bytes, cellArray } = document;
  let seed = Bun.hash.xxHash3(bytes.subarray(cellArray.start, cellArray.end), BigInt(index));
  for (;;) {
    seed = Bun.hash.xxHash3(content, seed);
    const id = (seed & 0xffff_ffffn).toString(16).padStart(8, "0");
    if (!bytes.includes(`"${id}"`)) return id;
  }
}
