import type { CallReport } from "./call-report.ts";
import type { NotebookCellDetails, NotebookDetails, OutputSummary } from "./notebook-model.ts";
import type { NotebookOutput } from "./notebook-outputs.ts";
import type { NotebookRun } from "./notebook-run.ts";
import type { NotebookWriter } from "./notebook-writer.ts";
import type { PreparedNotebook } from "./prepare-notebook.ts";

/** What the details of a run are made of. */
export interface RunView {
  run: NotebookRun;
  report: CallReport;
  prepared: PreparedNotebook;
  writer: NotebookWriter;
  /** The file that is written, as an absolute path. */
  path: string;
}

/** The end of an output's text that an update carries, in UTF-16 units. */
const UPDATE_TEXT = 20_000;

/** The details of a run that has ended. `maxText` bounds the text of each output; 0 is no bound. */
export function describeRun(view: RunView, maxText: number): NotebookDetails {
  return describe(view, [...view.run.cells.all.keys()], maxText);
}

/** The details as they stand, with the cells that are others since the last time. Of one that runs the text tells the output. */
export function describeNews(view: RunView): NotebookDetails {
  return describe(view, view.run.cells.takeNews(), UPDATE_TEXT);
}

function describe(view: RunView, positions: readonly number[], maxText: number): NotebookDetails {
  const { run, report, prepared, writer, path } = view;
  const { kernel, session, cancelled, timedOut, stdinRequested, error, diagnostics, meta } = report.details;
  return {
    cells: positions.map((position) => describeCell(view, position, maxText)),
    edits: prepared.edits,
    executed: run.cells.executed,
    failedCell: run.failed?.index ?? null,
    kernel,
    notebookPath: path,
    saved: writer.revision !== null,
    revision: writer.revision,
    session,
    ...{ cancelled, timedOut, stdinRequested, error, diagnostics, meta: { ...meta } },
  };
}

function describeCell({ run, report }: RunView, position: number, maxText: number): NotebookCellDetails {
  const { cell, status, executionCount, error, saved } = run.cells.at(position);
  const stored = status === "running" ? [] : run.cells.outputs.stored(position);
  const outputs = stored.map((output) => summarise(output, maxText));
  const durationMs = report.details.cells[position]?.durationMs ?? 0;
  return { index: cell.index, id: cell.id ?? null, status, executionCount, durationMs, outputs, error, saved };
}

/** An output without its bytes. */
function summarise(output: NotebookOutput, maxText: number): OutputSummary {
  const { output_type: type, name, text, data } = output;
  if (type === "stream") return { type, name: String(name), ...bound(String(text), maxText) };
  if (typeof data !== "object" || data === null) return { type };
  const plain = (data as Record<string, unknown>)["text/plain"];
  return { type, mimeTypes: Object.keys(data), ...(typeof plain === "string" ? bound(plain, maxText) : {}) };
}

function bound(text: string, limit: number): Pick<OutputSummary, "text" | "truncated"> {
  if (limit === 0 || text.length <= limit) return { text };
  return { text: text.slice(-limit).replace(/^[\uDC00-\uDFFF]/, ""), truncated: true };
}
