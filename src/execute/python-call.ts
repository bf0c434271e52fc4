import type { KernelMessage } from "@jupyterlab/services";
import { errorMessage } from "../errors.ts";
import type { Content } from "../output/model.ts";
import { isFolder } from "../paths.ts";
import { type CallContext, createReport } from "./call-context.ts";
import type { CallReport } from "./call-report.ts";
import { cwdNotFound } from "./errors.ts";
import { EXHAUSTED, judgeCell, stdinWarning, tellsOfGoodExit } from "./judge-cell.ts";
import { describeDeath, type KernelSession } from "./kernel-session.ts";
import type { KernelDeath, PythonRequest, PythonResult, RunOptions } from "./model.ts";
import type { KernelSessions, SessionCellEnd } from "./sessions.ts";
import { Timeout } from "./timeout.ts";

/** Runs the cells of a call in order until one fails, is cancelled, or asks to exit. Throws only when no kernel could be had. */
export async function runPythonCall(
  context: CallContext,
  request: PythonRequest,
  options: RunOptions,
): Promise<PythonResult> {
  if (context.client.settings.local && !isFolder(request.cwd)) throw cwdNotFound(request.cwd);
  const { signal, onUpdate } = options;
  const tell = (content: Content[]) => onUpdate?.({ content, details: structuredClone(report.details) });
  const report: CallReport = await createReport(context, request, request.cells, onUpdate && tell);
  try {
    const { reset = false } = request;
    await context.sessions.withKernelSession(request, { signal, reset }, (session) =>
      new CallRun(context.sessions, request, session, report).run(signal),
    );
  } catch (error) {
    if (!signal.aborted) throw error;
    report.cancelledBeforeStart();
  }
  return await report.result();
}

/** One call in its session. */
class CallRun {
  readonly #timeout: Timeout;

  constructor(
    private readonly sessions: KernelSessions,
    private readonly request: PythonRequest,
    private readonly session: KernelSession,
    private readonly report: CallReport,
  ) {
    this.#timeout = new Timeout(request.timeout);
  }

  async run(cancel: AbortSignal): Promise<void> {
    const { report, request, session } = this;
    report.details.kernel = session.kernel?.name ?? null;
    report.diagnose(session.kernel?.diagnostics ?? []);
    if (session.exhausted) {
      report.fail();
      report.notice(`${EXHAUSTED}; reset: true gives it another chance`);
      return;
    }
    this.#tellWhatHappenedBefore();
    this.#timeout.start();
    const signal = AbortSignal.any([cancel, this.#timeout.signal]);
    try {
      for (const index of request.cells.keys()) if (!(await this.#runCell(index, signal))) break;
    } finally {
      this.#timeout.stop();
    }
  }

  /** Late output of earlier calls, and why the state that they left is gone. */
  #tellWhatHappenedBefore(): void {
    const { report, session } = this;
    const late = session.takeLateOutput();
    if (late !== "") report.earlierOutput(late);
    if (session.lost !== undefined) {
      report.notice(`The state of this session was lost, the cells ran in a new kernel: ${session.lost}`);
    }
    session.lost = undefined;
  }

  /** Runs one cell; true when the next one may run. */
  async #runCell(index: number, signal: AbortSignal): Promise<boolean> {
    const { report } = this;
    if (signal.aborted) {
      this.#cancelled(signal);
      return false;
    }
    report.startCell(index);
    let end: SessionCellEnd;
    try {
      end = await this.#execute(index, signal);
    } catch (error) {
      const reason = signal.aborted ? "the call ended before the new kernel was ready" : errorMessage(error);
      report.line(`The kernel could not be restarted, and the cell did not run again: ${reason}`);
      report.endCell("error", 1);
      report.fail();
      if (signal.aborted) this.#cancelled(signal);
      return false;
    }
    const goesOn = this.#judge(end);
    if (end.interrupted) this.#cancelled(signal);
    this.#tellWhatDidNotRun(index, goesOn);
    return goesOn;
  }

  #tellWhatDidNotRun(index: number, goesOn: boolean): void {
    const { report, request } = this;
    const count = request.cells.length;
    const rest = index + 1 < count ? "; the cells after it did not run" : "";
    const { status } = report.details.cells[index] ?? {};
    if (status === "error" && count > 1) report.notice(`Cell ${index + 1} of ${count} failed${rest}`);
    else if (status === "complete" && !goesOn && rest !== "")
      report.notice(`Cell ${index + 1} of ${count} asked to exit${rest}`);
  }

  #execute(index: number, signal: AbortSignal): Promise<SessionCellEnd> {
    const { report, request, session, sessions } = this;
    const retry = request.settings.crashRetry === "once";
    const onOutput = (message: KernelMessage.IIOPubMessage) => {
      const changed = tellsOfGoodExit(message) ? undefined : report.change(message);
      if (changed !== undefined) report.receive(changed);
    };
    return sessions.executePython(session, request.cells[index]?.code ?? "", {
      signal,
      retry,
      listener: {
        onOutput,
        onPage: onOutput,
        onStdin: (prompt) => report.line(stdinWarning(prompt)),
        onRestart: (death) => {
          report.restartCell();
          report.line(restartLine(death));
        },
      },
    });
  }

  /** Writes down how a cell ended; true when the next one may run. */
  #judge(end: SessionCellEnd): boolean {
    const { report, session } = this;
    if (end.status === "error" && end.error) report.ensureErrorShown(end.error);
    const verdict = judgeCell(end);
    report.endCell(verdict.status, verdict.exitCode);
    if (verdict.failed) report.fail(verdict.error);
    for (const notice of verdict.notices) report.notice(notice);
    if (end.stdinRequested) report.details.stdinRequested = true;
    if (end.asksExit) session.endAfterCall = true;
    return verdict.goesOn;
  }

  #cancelled(signal: AbortSignal): void {
    const { report, request } = this;
    report.details.cancelled = true;
    report.details.timedOut = this.#timeout.ended(signal);
    report.notice(report.details.timedOut ? `Command timed out after ${request.timeout} seconds` : "Command cancelled");
  }
}

function restartLine(death: KernelDeath): string {
  return `The Python kernel died: ${describeDeath(death)}. It was restarted: earlier state is gone, and this cell ran again`;
}
