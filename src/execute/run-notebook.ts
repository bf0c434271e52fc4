import { dirname, resolve } from "node:path";
import { realNotebookPath } from "../notebook/notebook-path.ts";
import { type NotebookCell, readCells } from "../notebook/read-cells.ts";
import type { Content } from "../output/model.ts";
import { type CallContext, createReport } from "./call-context.ts";
import { describeNews, describeRun, type RunView } from "./describe-run.ts";
import type { SessionRequest } from "./kernel-session.ts";
import { chooseNotebookKernel, findNotebookLanguage } from "./notebook-kernel.ts";
import type { NotebookRequest, NotebookResult, NotebookRunOptions } from "./notebook-model.ts";
import { NotebookRun } from "./notebook-run.ts";
import { NotebookWriter } from "./notebook-writer.ts";
import { type Preparation, type PreparedNotebook, prepareNotebook, tryPreparation } from "./prepare-notebook.ts";
import { nameCell } from "./run-cells.ts";
import { RunHistory } from "./run-history.ts";
import { kernelPlace } from "./start-kernel.ts";

/**
 * Edits a notebook, runs its cells in its session and writes their outputs into the file. Throws when it cannot begin, and has
 * changed nothing then: what is asked for is tried before a kernel is started, and done when it is the call's turn.
 */
export async function runNotebook(
  context: CallContext,
  request: NotebookRequest,
  options: NotebookRunOptions,
): Promise<NotebookResult> {
  const { preparation, session, historyOf } = await planRun(context, request);
  const tried = await tryPreparation(preparation);
  const { signal } = options;
  let view: RunView | undefined;
  try {
    const { restart: reset = false } = request;
    await context.sessions.withKernelSession(session, { signal, reset }, async (held) => {
      const prepared = await prepareNotebook({ ...preparation, history: historyOf(request.path) });
      view = await beginRun(context, { preparation, session, historyOf }, prepared, options);
      await view.run.run(held, signal);
    });
  } catch (error) {
    if (!signal.aborted) {
      await view?.report.result();
      throw error;
    }
  }
  const nothing = { ...tried, edits: [], notes: [] };
  const ended = view ?? (await beginRun(context, { preparation, session, historyOf }, nothing, options));
  if (view === undefined) ended.report.cancelledBeforeStart();
  const { content, isError } = await ended.report.result();
  return { content, details: describeRun(ended, request.settings.maxOutputBytes), isError };
}

interface RunPlan {
  preparation: Preparation;
  session: SessionRequest;
  /** What is known of the notebook at a path, as it is now. */
  historyOf(path: string): RunHistory;
}

/** The notebook's own session, in its folder, with the kernel that it names; or the one that the caller names. */
async function planRun(context: CallContext, request: NotebookRequest): Promise<RunPlan> {
  const { metadata } = await readCells(request.path, request.cwd);
  const path = realNotebookPath(request.path, request.cwd);
  const { name, environment, settings, owner, parameters } = request;
  const { client } = context;
  const place = kernelPlace({ cwd: dirname(path), environment, settings });
  const kernel = await chooseNotebookKernel(client, metadata, settings.kernel, place);
  const language = parameters === undefined ? "" : await findNotebookLanguage(client, metadata, kernel, place);
  const copies = request.saveAs !== undefined && realNotebookPath(request.saveAs, request.cwd) !== path;
  const historyOf = (of: string) => new RunHistory(context.histories, realNotebookPath(of, request.cwd));
  return {
    preparation: {
      request: { ...request, saveAs: copies ? request.saveAs : undefined },
      language,
      history: historyOf(request.path),
    },
    historyOf,
    session: { name, notebook: path, cwd: dirname(path), environment, settings: { ...settings, kernel }, owner },
  };
}

/** Makes what a run needs; a copy has a history of its own. */
async function beginRun(
  context: CallContext,
  { preparation, session, historyOf }: RunPlan,
  prepared: PreparedNotebook,
  { onUpdate }: NotebookRunOptions,
): Promise<RunView> {
  const { request } = preparation;
  const { saveAs, cwd, force, review } = request;
  const target = saveAs ?? request.path;
  const tell = (content: Content[]) => onUpdate?.({ content, details: describeNews(view) });
  const report = await createReport(context, session, prepared.cells.map(asCell), onUpdate && tell);
  const writer = new NotebookWriter({ path: target, cwd, force, review });
  const { sessions } = context;
  const run = new NotebookRun({ sessions, request, prepared, writer, history: historyOf(target), report });
  const view: RunView = { run, report, prepared, writer, path: resolve(cwd, target) };
  return view;
}

function asCell(cell: NotebookCell): { code: string; title: string } {
  return { code: cell.source, title: nameCell(cell) };
}
