import { dirname } from "node:path";
import { copyNotebook } from "../notebook/copy-notebook.ts";
import { resolveNotebookPath } from "../notebook/notebook-file.ts";
import { type NotebookCell, type NotebookContents, readCells } from "../notebook/read-cells.ts";
import { type CallContext, createReport } from "./call-context.ts";
import type { CallReport } from "./call-report.ts";
import type { SessionRequest } from "./kernel-session.ts";
import { chooseNotebookKernel } from "./notebook-kernel.ts";
import type { NotebookDetails, NotebookRequest, NotebookResult, NotebookRunOptions } from "./notebook-model.ts";
import type { NotebookOutput } from "./notebook-outputs.ts";
import { NotebookRun } from "./notebook-run.ts";
import { selectCells } from "./select-cells.ts";

/** Runs a notebook's cells in its session and writes their outputs into the file. Throws when it cannot begin. */
export async function runNotebook(
  context: CallContext,
  request: NotebookRequest,
  options: NotebookRunOptions,
): Promise<NotebookResult> {
  const contents = await readCells(request.path, request.cwd);
  const cells = selectCells(contents.cells, request.cells);
  const session = await sessionOf(context, request, contents);
  const target = { path: request.saveAs ?? request.path, cwd: request.cwd };
  if (request.saveAs !== undefined) await copyNotebook(request.path, request.saveAs, request.cwd);
  const report: CallReport = await createReport(context, session, cells.map(asCell), (content) =>
    options.onUpdate?.({ content, details: describeRun(run, cells, report) }),
  );
  const run: NotebookRun = new NotebookRun(context.sessions, request, target, cells, report);
  const { signal } = options;
  try {
    const reset = request.restart ?? false;
    await context.sessions.withKernelSession(session, { signal, reset }, (held) => run.run(held, signal));
  } catch (error) {
    if (!signal.aborted) throw error;
    report.cancelledBeforeStart();
  }
  const { content, isError } = await report.result();
  return { content, details: describeRun(run, cells, report), isError };
}

/** The notebook's own session, in its folder, with the kernel that it names; or the one that the caller names. */
async function sessionOf(
  context: CallContext,
  request: NotebookRequest,
  contents: NotebookContents,
): Promise<SessionRequest> {
  const path = resolveNotebookPath(request.path, request.cwd);
  const { name, environment, settings, owner } = request;
  const kernel = await chooseNotebookKernel(context.client, contents.metadata, settings.kernel);
  return { name, notebook: path, cwd: dirname(path), environment, settings: { ...settings, kernel }, owner };
}

function asCell(cell: NotebookCell): { code: string; title: string } {
  return { code: cell.source, title: `cell ${cell.index}` };
}

function describeRun(run: NotebookRun, cells: readonly NotebookCell[], report: CallReport): NotebookDetails {
  const { kernel, session, cancelled, timedOut, stdinRequested, error, diagnostics, meta } = report.details;
  return {
    cells: cells.map(({ index, id }, position) => ({
      index,
      id: id ?? null,
      status: report.details.cells[position]?.status ?? "pending",
      executionCount: run.executionCounts.get(index) ?? null,
      durationMs: report.details.cells[position]?.durationMs ?? 0,
      outputs: run.outputs.of(index).map(summarise),
      error: run.errors.get(index) ?? null,
    })),
    executed: run.executed,
    failedCell: run.failedCell,
    kernel,
    notebookPath: run.path,
    saved: run.saved,
    session,
    ...{ cancelled, timedOut, stdinRequested, error, diagnostics, meta },
  };
}

/** An output without its bytes. */
function summarise(output: NotebookOutput) {
  const { output_type: type, name, text, data } = output;
  if (type === "stream") return { type, name: String(name), text: String(text) };
  if (typeof data !== "object" || data === null) return { type };
  const plain = (data as Record<string, unknown>)["text/plain"];
  return { type, mimeTypes: Object.keys(data), ...(typeof plain === "string" ? { text: plain } : {}) };
}
