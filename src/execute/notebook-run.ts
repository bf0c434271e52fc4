// One run of a notebook's cells in its session. Cells run in order; the outputs of each are in the file before the next one
// starts, so that whatever ends the run loses the running cell at most. The run ends by itself; nothing has to be closed.

import type { KernelMessage } from "@jupyterlab/services";
import { errorMessage } from "../errors.ts";
import type { NotebookCell } from "../notebook/read-cells.ts";
import type { CallReport } from "./call-report.ts";
import { EXHAUSTED, judgeCell, stdinWarning } from "./judge-cell.ts";
import type { KernelSession } from "./kernel-session.ts";
import type { CellError } from "./model.ts";
import type { NotebookRequest } from "./notebook-model.ts";
import type { NotebookOutput } from "./notebook-outputs.ts";
import type { NotebookWriter } from "./notebook-writer.ts";
import type { PreparedNotebook } from "./prepare-notebook.ts";
import { hasTag, nameCell, RunCells } from "./run-cells.ts";
import type { RunHistory } from "./run-history.ts";
import { createStateSender } from "./send-comm.ts";
import type { KernelSessions, SessionCellEnd } from "./sessions.ts";
import { Timeout } from "./timeout.ts";
import { WidgetModels } from "./widget-models.ts";

/** What a run works with. */
export interface NotebookRunParts {
  sessions: KernelSessions;
  request: NotebookRequest;
  prepared: PreparedNotebook;
  writer: NotebookWriter;
  history: RunHistory;
  report: CallReport;
}

const RERUN_HINT =
  "No cell was run again. Run the notebook from the top in a fresh kernel: restart: true, without cells";
const UNSAVED =
  "was changed or removed on disk while the notebook ran: its source as it had been is what ran, and the outputs were not written";

export class NotebookRun {
  readonly cells: RunCells;
  /** The cell that ended the run. */
  failed: NotebookCell | undefined;
  readonly #parts: NotebookRunParts;
  readonly #total: Timeout;
  /** Which cell a request of this run belongs to, by message id. */
  readonly #requests = new Map<string, number>();
  #widgets: WidgetModels | undefined;
  /** Why the last write failed, as it was told. */
  #unwritten = "";

  constructor(parts: NotebookRunParts) {
    this.#parts = parts;
    this.cells = new RunCells(parts.prepared.cells);
    this.#total = new Timeout(parts.request.totalTimeout);
  }

  async run(session: KernelSession, cancel: AbortSignal): Promise<void> {
    const { report, history, prepared, request } = this.#parts;
    report.details.kernel = session.kernel?.name ?? null;
    for (const note of prepared.notes) report.preface(note);
    if (!this.#tellWhatHappenedBefore(session)) return;
    const nothing = request.cells === "stale" ? "No code cell is stale" : "There is no such code cell to run";
    if (this.cells.all.length === 0) report.notice(nothing);
    history.begin(prepared.contents.cells);
    this.#widgets = new WidgetModels(await createStateSender(() => session.kernel?.connection));
    session.lateListener = (message) => this.#receiveLate(message);
    this.#total.start();
    try {
      for (const position of this.cells.all.keys()) if (!(await this.#runNext(session, position, cancel))) break;
      await this.#save(true);
    } finally {
      this.#total.stop();
      history.save();
      session.lateListener = undefined;
    }
  }

  /** Why the state that earlier calls left is gone. False when the session cannot run anything. */
  #tellWhatHappenedBefore(session: KernelSession): boolean {
    const { report } = this.#parts;
    if (session.exhausted) {
      report.fail();
      report.notice(`${EXHAUSTED}; restart: true gives it another chance`);
    } else if (session.lost !== undefined) {
      report.notice(`The cells ran in a new kernel, and what earlier calls had left is gone: ${session.lost}`);
      session.lost = undefined;
    }
    return !session.exhausted;
  }

  async #runNext(session: KernelSession, position: number, cancel: AbortSignal): Promise<boolean> {
    const { report, request } = this.#parts;
    const { cell } = this.cells.at(position);
    if (cell.source.trim() === "" || hasTag(cell, "skip-execution")) {
      this.cells.change(position, { status: "skipped" });
      return true;
    }
    const timeout = new Timeout(request.timeout);
    const signal = AbortSignal.any([cancel, this.#total.signal, timeout.signal]);
    if (signal.aborted) {
      this.#cancelled(signal, timeout);
      return false;
    }
    this.cells.outputs.start(position);
    this.cells.change(position, { status: "running" });
    report.startCell(position);
    timeout.start();
    const end = await this.#execute(session, position, signal).finally(() => timeout.stop());
    const goesOn = this.#judge(session, position, end);
    if (end.interrupted) this.#cancelled(signal, timeout);
    const saved = await this.#save(false);
    report.tellNow();
    return saved && goesOn;
  }

  #execute(session: KernelSession, position: number, signal: AbortSignal): Promise<SessionCellEnd> {
    const { sessions, report } = this.#parts;
    return sessions.executePython(session, this.cells.at(position).cell.source, {
      signal,
      // Earlier cells' state is gone with a kernel, so running one cell again would not be the notebook's own run.
      retry: false,
      listener: {
        onSent: (id) => this.#requests.set(id, position),
        onOutput: (message) => this.#receive(position, message),
        onStdin: (prompt) => report.line(stdinWarning(prompt)),
        onRestart: () => {},
      },
    });
  }

  #receive(position: number, message: KernelMessage.IIOPubMessage): void {
    const { report } = this.#parts;
    const changed = report.change(message);
    if (changed === undefined) return;
    const isWidgets = this.#widgets?.receive(changed);
    report.receive(changed);
    if (!isWidgets) this.cells.receive(position, changed);
  }

  /** What a thread prints after its cell has ended still belongs to that cell. */
  #receiveLate(message: KernelMessage.IIOPubMessage): boolean {
    const position = this.#requests.get((message.parent_header as { msg_id?: string }).msg_id ?? "");
    if (position === undefined) return false;
    if (!this.#widgets?.receive(message)) this.cells.receive(position, message);
    return true;
  }

  /** Writes down how a cell ended; true when the next one may run. */
  #judge(session: KernelSession, position: number, end: SessionCellEnd): boolean {
    const { report, history, request } = this.#parts;
    const { cell } = this.cells.at(position);
    if (end.status === "error" && end.error) this.#ensureErrorShown(position, end.error);
    const verdict = judgeCell(end);
    report.endCell(verdict.status, verdict.exitCode);
    const { executionCount, times, error = null } = end;
    this.cells.change(position, { status: verdict.status, executionCount, times, error });
    if (end.stdinRequested) report.details.stdinRequested = true;
    if (end.asksExit) session.endAfterCall = true;
    for (const notice of verdict.notices) report.notice(notice);
    const raised = end.status === "error" && !end.interrupted && !end.stdinRequested;
    const allowed = raised && (request.allowErrors === true || hasTag(cell, "raises-exception"));
    history.record(cell, allowed || !verdict.failed);
    if (allowed) return true;
    if (verdict.failed) this.#fail(position, end, verdict.error);
    else if (!verdict.goesOn) report.notice(`${capitalise(nameCell(cell))} ended the run${this.#after(position)}`);
    return verdict.goesOn;
  }

  /** An error of a reply that no message told (a bad magic) is put out, unless the kernel has printed it. */
  #ensureErrorShown(position: number, error: CellError): void {
    const outputs = this.cells.outputs.of(position);
    const told = ({ output_type, text }: NotebookOutput) =>
      output_type === "error" || (output_type === "stream" && String(text).includes(error.value));
    this.#parts.report.ensureErrorShown(error);
    if (outputs.some(told)) return;
    const { name: ename, value: evalue, traceback } = error;
    this.cells.outputs.add(position, { output_type: "error", ename, evalue, traceback });
  }

  #fail(position: number, end: SessionCellEnd, error: CellError | undefined): void {
    const { report, prepared } = this.#parts;
    const { cell } = this.cells.at(position);
    this.failed = cell;
    report.fail(error);
    report.notice(`${capitalise(nameCell(cell))} failed${this.#after(position)}`);
    if (end.status === "died") report.notice(RERUN_HINT);
    const left = countLeftOut(this.cells, prepared.contents.cells, cell);
    if (left > 0) report.notice(`The kernel was new: ${left} of the code cells before this one have not run in it`);
  }

  #after(position: number): string {
    const rest = this.cells.all.length - position - 1;
    return rest === 0 ? "" : `; the ${rest === 1 ? "cell" : `${rest} cells`} after it did not run`;
  }

  #cancelled(signal: AbortSignal, timeout: Timeout): void {
    const { report } = this.#parts;
    report.details.cancelled = true;
    const expired = [timeout, this.#total].find((candidate) => candidate.ended(signal));
    report.details.timedOut = expired !== undefined;
    report.notice(expired ? `Command timed out after ${expired.seconds} seconds` : "Command cancelled");
  }

  /** Writes what has changed, at the end until it is on the disk; false when that failed, and then the run ends. */
  async #save(last: boolean): Promise<boolean> {
    const { writer, report } = this.#parts;
    try {
      const unsaved = await writer.save(this.cells, this.#widgets?.takeChanged());
      for (const { cell } of unsaved) report.notice(`${capitalise(nameCell(cell))} ${UNSAVED}`);
      if (last) writer.finish();
      return true;
    } catch (error) {
      writer.revision = null;
      report.fail();
      const unwritten = `The outputs could not be written: ${errorMessage(error)}`;
      if (unwritten !== this.#unwritten) report.notice(unwritten);
      this.#unwritten = unwritten;
      return false;
    }
  }
}

/** Code cells before the one that failed that a run in a new kernel has left out. */
function countLeftOut(run: RunCells, cells: readonly NotebookCell[], failed: NotebookCell): number {
  const first = run.all.find(({ executionCount }) => executionCount !== null);
  if (first?.executionCount !== 1) return 0;
  const ran = new Set(run.all.map(({ cell }) => cell.index));
  return cells.filter(({ type, index }) => type === "code" && index < failed.index && !ran.has(index)).length;
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
