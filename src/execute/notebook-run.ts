// One run of a notebook's cells in its session. Cells run in order; the outputs of each are in the file before the next one
// starts, so that whatever ends the run loses the running cell at most. The run ends by itself; nothing has to be closed.

import { resolve } from "node:path";
import type { KernelMessage } from "@jupyterlab/services";
import { errorMessage } from "../errors.ts";
import { type CellRun, writeCellOutputs } from "../notebook/cell-outputs.ts";
import type { NotebookCell } from "../notebook/read-cells.ts";
import type { CallReport } from "./call-report.ts";
import { judgeCell, stdinWarning } from "./judge-cell.ts";
import type { KernelSession } from "./kernel-session.ts";
import type { CellError } from "./model.ts";
import type { NotebookRequest } from "./notebook-model.ts";
import { NotebookOutputs } from "./notebook-outputs.ts";
import type { KernelSessions, SessionCellEnd } from "./sessions.ts";
import { Timeout } from "./timeout.ts";

/** Where a run writes: the file as the caller names it, from its working directory. */
export interface NotebookTarget {
  path: string;
  cwd: string;
}

export class NotebookRun {
  readonly outputs = new NotebookOutputs();
  readonly executionCounts = new Map<number, number | null>();
  readonly errors = new Map<number, CellError>();
  saved = false;
  executed = 0;
  failedCell: number | null = null;
  /** Which cell a request of this run belongs to, by message id. */
  readonly #requests = new Map<string, number>();
  readonly #total: Timeout;

  constructor(
    private readonly sessions: KernelSessions,
    private readonly request: NotebookRequest,
    private readonly target: NotebookTarget,
    private readonly cells: readonly NotebookCell[],
    private readonly report: CallReport,
  ) {
    this.#total = new Timeout(request.totalTimeout);
  }

  /** The file that is written. */
  get path(): string {
    return resolve(this.target.cwd, this.target.path);
  }

  async run(session: KernelSession, cancel: AbortSignal): Promise<void> {
    this.report.details.kernel = session.kernel?.name ?? null;
    session.lateListener = (message) => this.#receiveLate(message);
    this.#total.start();
    try {
      for (const position of this.cells.keys()) if (!(await this.#runNext(session, position, cancel))) break;
      await this.#save();
    } finally {
      this.#total.stop();
      session.lateListener = undefined;
    }
  }

  async #runNext(session: KernelSession, position: number, cancel: AbortSignal): Promise<boolean> {
    const cell = this.cells[position] as NotebookCell;
    if (cell.source.trim() === "" || hasTag(cell, "skip-execution")) return true;
    const timeout = new Timeout(this.request.timeout);
    const signal = AbortSignal.any([cancel, this.#total.signal, timeout.signal]);
    if (signal.aborted) {
      this.#cancelled(timeout);
      return false;
    }
    this.report.startCell(position);
    this.outputs.start(cell.index);
    timeout.start();
    const end = await this.#execute(session, cell, signal).finally(() => timeout.stop());
    const goesOn = this.#judge(session, cell, end);
    if (end.interrupted) this.#cancelled(timeout);
    return (await this.#save()) && goesOn;
  }

  #execute(session: KernelSession, cell: NotebookCell, signal: AbortSignal): Promise<SessionCellEnd> {
    return this.sessions.executePython(session, cell.source, {
      signal,
      // Earlier cells' state is gone with a kernel, so running one cell again would not be the notebook's own run.
      retry: false,
      listener: {
        onSent: (id) => this.#requests.set(id, cell.index),
        onOutput: (message) => this.#receive(cell.index, message),
        onStdin: (prompt) => this.report.line(stdinWarning(prompt)),
        onRestart: () => {},
      },
    });
  }

  #receive(cell: number, message: KernelMessage.IIOPubMessage): void {
    const changed = this.report.change(message);
    if (changed === undefined) return;
    this.report.receive(changed);
    this.outputs.receive(cell, changed);
  }

  /** What a thread prints after its cell has ended still belongs to that cell. */
  #receiveLate(message: KernelMessage.IIOPubMessage): boolean {
    const cell = this.#requests.get((message.parent_header as { msg_id?: string }).msg_id ?? "");
    if (cell !== undefined) this.outputs.receive(cell, message);
    return cell !== undefined;
  }

  #judge(session: KernelSession, cell: NotebookCell, end: SessionCellEnd): boolean {
    const { report } = this;
    if (end.status === "error" && end.error && !this.outputs.of(cell.index).some(isError)) {
      const { name, value, traceback } = end.error;
      this.outputs.of(cell.index).push({ output_type: "error", ename: name, evalue: value, traceback });
      report.ensureErrorShown(end.error);
    }
    const verdict = judgeCell(end);
    report.endCell(verdict.status, verdict.exitCode);
    if (end.error) this.errors.set(cell.index, end.error);
    this.executionCounts.set(cell.index, end.executionCount);
    if (verdict.status !== "pending") this.executed++;
    if (end.stdinRequested) report.details.stdinRequested = true;
    if (end.asksExit) session.endAfterCall = true;
    const raised = end.status === "error" && !end.interrupted && !end.stdinRequested;
    if (raised && (this.request.allowErrors || hasTag(cell, "raises-exception"))) return true;
    for (const notice of verdict.notices) report.notice(notice);
    if (verdict.failed) {
      report.fail(verdict.error);
      this.failedCell = cell.index;
      report.notice(`Cell ${cell.index} failed; the cells after it did not run`);
    }
    return verdict.goesOn;
  }

  #cancelled(timeout: Timeout): void {
    const { report } = this;
    report.details.cancelled = true;
    const expired = [timeout, this.#total].find((candidate) => candidate.signal.aborted);
    report.details.timedOut = expired !== undefined;
    report.notice(expired ? `Command timed out after ${expired.seconds} seconds` : "Command cancelled");
  }

  /** Writes what has changed; false when that failed, and then the run ends. */
  async #save(): Promise<boolean> {
    const changed = this.outputs.takeChanged();
    if (changed.length === 0) return true;
    try {
      const runs = changed.map((index) => this.#describe(index));
      const { skipped } = await writeCellOutputs(
        { ...this.target, force: this.request.force, review: this.request.review },
        runs,
      );
      this.saved = true;
      for (const { index } of skipped) {
        this.report.notice(`Cell ${index} was changed on disk while it ran; its outputs were not written`);
      }
      return true;
    } catch (error) {
      this.report.fail();
      this.report.notice(`The outputs could not be written: ${errorMessage(error)}`);
      return false;
    }
  }

  #describe(index: number): CellRun {
    const cell = this.cells.find((candidate) => candidate.index === index) as NotebookCell;
    const executionCount = this.executionCounts.get(index) ?? null;
    return { index, id: cell.id, source: cell.source, outputs: this.outputs.of(index), executionCount };
  }
}

function isError(output: { output_type: string }): boolean {
  return output.output_type === "error";
}

function hasTag(cell: NotebookCell, tag: string): boolean {
  const { tags } = cell.metadata;
  return Array.isArray(tags) && tags.includes(tag);
}
