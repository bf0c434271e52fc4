import { cellTypeAt } from "./address.ts";
import { clearOutputs, editSource, insertCell } from "./cell-edits.ts";
import type { NotebookDocument } from "./document.ts";
import { newCellId } from "./new-cell-id.ts";
import { readCell } from "./read-cells.ts";
import type { Replacement } from "./splice.ts";

/** Where a cell that sets parameters is put, and whether it is a new one. */
export interface ParameterCell {
  replacements: Replacement[];
  cellIndex: number;
  inserted: boolean;
  /** The notebook says by a cell with the tag `parameters` where they belong; without one they come first. */
  hasDefaults: boolean;
}

/** The tags by which Papermill, and what works with it, knows these cells. */
const DEFAULTS = "parameters";
const INJECTED = "injected-parameters";

/**
 * Sets the parameters of a notebook: in the cell with the tag `injected-parameters`, else in a new one right after the cell
 * with the tag `parameters`, else in a new first cell.
 */
export function planParameterCell(document: NotebookDocument, source: string): ParameterCell {
  const defaults = findTagged(document, DEFAULTS);
  const injected = findTagged(document, INJECTED);
  const hasDefaults = defaults >= 0;
  if (injected >= 0) {
    const edits = editSource(document, injected, source);
    const replacements = edits.length === 0 ? [] : [...edits, ...clearOutputs(document, injected)];
    return { replacements, cellIndex: injected, inserted: false, hasDefaults };
  }
  const cellIndex = defaults + 1;
  const id = newCellId(document, cellIndex, source);
  const cell = { type: "code" as const, content: source, id, metadata: { tags: [INJECTED] } };
  return { replacements: insertCell(document, cellIndex, cell), cellIndex, inserted: true, hasDefaults };
}

/** The first code cell with a tag, or -1. */
function findTagged(document: NotebookDocument, tag: string): number {
  return document.cells.findIndex((_, index) => {
    if (cellTypeAt(document, index) !== "code") return false;
    const { tags } = readCell(document, index).metadata;
    return Array.isArray(tags) && tags.includes(tag);
  });
}
