import { cellIdAt, cellTypeAt, indexesOfId } from "./address.ts";
import { placeName } from "./cell-tokens.ts";
import { cellMembers, findMember, type NotebookDocument, type Span } from "./document.ts";
import { type CellLayout, cellLayout, lineOf, stepOf } from "./layout.ts";
import { setMembers } from "./member-edits.ts";
import { type ChangeOptions, changeNotebook } from "./notebook-file.ts";
import { storedOutputs } from "./output-values.ts";
import { readOutputs } from "./read-cells.ts";
import { isValue, metadataToken } from "./set-metadata.ts";
import { readSource } from "./source.ts";
import type { Replacement } from "./splice.ts";
import { escapeStyleOf } from "./string-token.ts";
import { type ValueLayout, valueToken } from "./value-token.ts";
import { planWidgetStates, type WidgetStates } from "./widget-states.ts";

/** What running a code cell gave. The cell is found by id, else by index; its source must still be the one that ran. */
export interface CellRun {
  index: number;
  id?: string | undefined;
  source: string;
  /** nbformat outputs; multi-line text may be one string. */
  outputs: readonly unknown[];
  executionCount: number | null;
  /** Members to set in the cell's metadata, such as `execution` with its times. */
  metadata?: Record<string, unknown>;
}

/** What became of a write-back: the indexes written, and the runs whose cell is gone or has another source now. */
export interface OutputsWritten {
  revision: string;
  written: number[];
  skipped: CellRun[];
}

/**
 * Writes outputs and execution counts into a notebook's code cells, and the states of widgets into its metadata, as a splice
 * under the same lock as every change.
 */
export async function writeCellOutputs(
  options: ChangeOptions,
  runs: readonly CellRun[],
  widgets?: WidgetStates,
): Promise<OutputsWritten> {
  const plan = (document: NotebookDocument) => planOutputs(document, runs, widgets);
  const { replacements: _, ...written } = await changeNotebook(options, plan);
  return written;
}

/** Works out where the outputs go; nothing is written. */
export function planOutputs(document: NotebookDocument, runs: readonly CellRun[], widgets?: WidgetStates) {
  const replacements: Replacement[] = [];
  const written: number[] = [];
  const skipped: CellRun[] = [];
  for (const run of runs) {
    const index = findRunCell(document, run);
    if (index === undefined || written.includes(index)) {
      skipped.push(run);
    } else {
      written.push(index);
      replacements.push(...setOutputs(document, index, run));
    }
  }
  if (widgets !== undefined) replacements.push(...planWidgetStates(document, widgets, written));
  return { replacements, written, skipped };
}

/** Without an id, a cell that moved is still found if it alone has the source. */
function findRunCell(document: NotebookDocument, run: CellRun): number | undefined {
  const matches = (index: number) =>
    document.cells[index] !== undefined &&
    cellTypeAt(document, index) === "code" &&
    readSource(document.bytes, cellMembers(document, index)) === run.source;
  const stays = run.index < document.cells.length && cellIdAt(document, run.index) === run.id;
  if (stays && matches(run.index)) return run.index;
  const candidates = run.id === undefined ? [...document.cells.keys()] : indexesOfId(document, run.id);
  const found = candidates.filter(matches);
  return found.length === 1 ? found[0] : undefined;
}

/** A value that the cell has already keeps its bytes, key order and spelling included. */
function setOutputs(document: NotebookDocument, index: number, run: CellRun): Replacement[] {
  const { bytes } = document;
  const layout = cellLayout(document, index);
  const members = cellMembers(document, index);
  const value = valueLayout(document, layout);
  const present = (name: string) => findMember(members, name);
  const tokens: Record<string, string> = {};
  const outputs = storedOutputs(run.outputs);
  if (!present("outputs") || !Bun.deepEquals(storedOutputs(readOutputs(document, index)), outputs)) {
    tokens.outputs = valueToken(outputs, value);
  }
  if (!isValue(bytes, present("execution_count"), run.executionCount)) {
    tokens.execution_count = valueToken(run.executionCount, value);
  }
  if (run.metadata !== undefined) tokens.metadata = metadataToken(bytes, present("metadata"), run.metadata, value);
  return setMembers({ bytes, span: document.cells[index] as Span, members, layout }, tokens, placeName);
}

function valueLayout(document: NotebookDocument, layout: CellLayout): ValueLayout {
  const escapes = escapeStyleOf(document.bytes);
  return { line: lineOf(layout), step: stepOf(layout), colon: layout.colon, escapes };
}
