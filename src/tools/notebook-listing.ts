import type { NotebookDocument } from "../notebook/document.ts";
import { type OutputSummary, summariseOutputs } from "../notebook/output-summary.ts";
import { type NotebookCell, readCell, readOutputs } from "../notebook/read-cells.ts";
import type { Content } from "../output/model.ts";
import { BlockWriter } from "./block-writer.ts";
import { describeOutput, writeOutput } from "./notebook-outputs.ts";

/** How much of the outputs a listing shows. */
export type OutputDetail = "none" | "summary" | "full";

/** What a listing may hold, in bytes; 0 is no bound. */
export interface ListingBounds {
  maxOutputBytes: number;
  maxImageBytes: number;
  maxImagePixels: number;
}

/** A cell in the details of a listing. */
export interface ListedCell {
  index: number;
  id: string | null;
  type: string;
  source: string;
  /** The source was cut. */
  truncated?: true;
  executionCount: number | null;
  outputs: OutputSummary[];
}

/** A listing: content blocks for a model, the same cells as data, and the indexes that did not fit. */
export interface Listing {
  content: Content[];
  cells: ListedCell[];
  omitted: number[];
}

/**
 * Lists cells for a model. Sources are whole, until `maxOutputBytes` are full: what is left out then is counted, and the call
 * that shows it is named. Only the first cell's source is ever cut.
 */
export async function listCells(
  document: NotebookDocument,
  indexes: readonly number[],
  detail: OutputDetail,
  bounds: ListingBounds,
): Promise<Listing> {
  const blocks = new BlockWriter(bounds.maxOutputBytes);
  const limits = { maxBytes: bounds.maxImageBytes, maxPixels: bounds.maxImagePixels };
  const cells: ListedCell[] = [];
  for (const [position, index] of indexes.entries()) {
    const cell = readCell(document, index);
    const fits = blocks.fits(cell.source);
    if (!fits && position > 0) {
      const omitted = indexes.slice(position);
      blocks.notice(`[${omitted.length} more not shown; read them with range "${formatRange(omitted)}"]\n`);
      return { content: blocks.finish(), cells, omitted };
    }
    const source = fits ? cell.source : blocks.cut(cell.source);
    const outputs = detail === "none" ? [] : summariseOutputs(document, index);
    writeSource(blocks, cell, source);
    if (detail === "summary") for (const output of outputs) blocks.text(`-> ${describeOutput(output)}\n`);
    if (detail === "full") for (const output of readOutputs(document, index)) await writeOutput(blocks, output, limits);
    blocks.text("\n");
    cells.push({ ...listedCell(cell), source, ...(fits ? {} : { truncated: true }), outputs });
  }
  return { content: blocks.finish(), cells, omitted: [] };
}

/** Ascending indexes as ranges, such as `0-3,7`. */
export function formatRange(indexes: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const index of indexes) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === index - 1) last[1] = index;
    else ranges.push([index, index]);
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(",");
}

function writeSource(blocks: BlockWriter, cell: NotebookCell, source: string): void {
  const id = cell.id === undefined ? "" : ` id ${cell.id}`;
  const count = cell.executionCount === null ? "" : ` [${cell.executionCount}]`;
  blocks.text(`cell ${cell.index} ${cell.type || "untyped"}${count}${id}\n${source}`);
  if (source !== "" && !source.endsWith("\n")) blocks.text("\n");
  const cut = Buffer.byteLength(cell.source) - Buffer.byteLength(source);
  if (cut > 0) blocks.notice(`[${cut} more bytes of this source are not shown]\n`);
}

function listedCell({ index, id, type, executionCount }: NotebookCell) {
  return { index, id: id ?? null, type, executionCount };
}
