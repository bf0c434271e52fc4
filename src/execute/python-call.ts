import { statSync } from "node:fs";
import { errorMessage } from "../errors.ts";
import type { ArtifactStore } from "../output/artifacts.ts";
import type { MimeHandler } from "../output/model.ts";
import { CallReport } from "./call-report.ts";
import { cwdNotFound } from "./errors.ts";
import { describeDeath, type KernelSession } from "./kernel-session.ts";
import type { KernelDeath, PythonRequest, PythonResult, RunOptions } from "./model.ts";
import type { KernelSessions, SessionCellEnd } from "./sessions.ts";

/** What a call works with beside its request. */
export interface CallContext {
  sessions: KernelSessions;
  mimeHandlers: readonly MimeHandler[];
  artifacts: ArtifactStore;
  /** Kernels run on this host, so the working directory must be here. */
  local: boolean;
}

const EXHAUSTED = "Python kernel restarted too many times in this session";

/** Runs the cells of a call in order until one fails, is cancelled, or asks to exit. Throws only when no kernel could be had. */
export async function runPythonCall(
  context: CallContext,
  request: PythonRequest,
  options: RunOptions,
): Promise<PythonResult> {
  if (context.local && !statSync(request.cwd, { throwIfNoEntry: false })?.isDirectory()) throw cwdNotFound(request.cwd);
  const session = request.name ?? request.cwd;
  const origin = { mimeType: "text/plain", session, cwd: request.cwd, folder: context.artifacts.folderFor(session) };
  const report = new CallReport(request, { ...context, origin }, options.onUpdate);
  const { signal } = options;
  try {
    const { reset = false } = request;
    await context.sessions.withKernelSession(request, { signal, reset }, (session) =>
      new CallRun(context, request, session, report).run(signal),
    );
  } catch (error) {
    if (!signal.aborted) throw error;
    report.details.cancelled = true;
    report.notice("Cancelled before the first cell ran");
  }
  return report.result();
}

/** One call in its session. */
class CallRun {
  readonly #timeout = new AbortController();

  constructor(
    private readonly context: CallContext,
    private readonly request: PythonRequest,
    private readonly session: KernelSession,
    private readonly report: CallReport,
  ) {}

  async run(cancel: AbortSignal): Promise<void> {
    const { report, request, session } = this;
    report.details.kernel = session.kernel?.name ?? null;
    if (session.exhausted) {
      report.fail();
      report.notice(EXHAUSTED);
      return;
    }
    this.#tellWhatHappenedBefore();
    const timer = this.#startTimeout();
    const signal = AbortSignal.any([cancel, this.#timeout.signal]);
    try {
      for (const index of request.cells.keys()) if (!(await this.#runCell(index, signal))) break;
    } finally {
      clearTimeout(timer);
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

  #startTimeout(): ReturnType<typeof setTimeout> | undefined {
    const { timeout } = this.request;
    if (timeout === undefined) return undefined;
    return setTimeout(() => this.#timeout.abort(), timeout * 1000);
  }

  /** Runs one cell; true when the next one may run. */
  async #runCell(index: number, signal: AbortSignal): Promise<boolean> {
    const { report, request } = this;
    if (signal.aborted) {
      this.#cancelled();
      return false;
    }
    report.startCell(index);
    let end: SessionCellEnd;
    try {
      end = await this.#execute(index, signal);
    } catch (error) {
      report.line(`The kernel could not be restarted: ${errorMessage(error)}`);
      report.endCell("error", 1);
      report.fail();
      return false;
    }
    const goesOn = this.#judge(end);
    const left = request.cells.length - index - 1;
    if (report.details.cells[index]?.status === "error" && request.cells.length > 1) {
      report.notice(
        `Cell ${index + 1} of ${request.cells.length} failed${left > 0 ? "; the cells after it did not run" : ""}`,
      );
    }
    return goesOn;
  }

  #execute(index: number, signal: AbortSignal): Promise<SessionCellEnd> {
    const { report, request, session, context } = this;
    const retry = request.settings.crashRetry === "once";
    return context.sessions.executePython(session, request.cells[index]?.code ?? "", {
      signal,
      retry,
      listener: {
        onOutput: (message) => report.receive(message),
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
    if (end.status === "aborted" && !end.interrupted) {
      report.endCell("pending", null);
      report.fail();
      report.notice("The kernel did not run the cell, because an earlier request had failed");
      return false;
    }
    if (end.status === "error" && end.error) report.ensureErrorShown(end.error);
    const exit = end.interrupted ? undefined : exitCodeOf(end);
    const done = end.status === "ok" && !end.interrupted && !end.stdinRequested;
    if (done || exit === 0) report.endCell("complete", 0);
    else report.endCell("error", exit ?? 1);
    this.#explain(end);
    if (end.asksExit) session.endAfterCall = true;
    if (done) return !end.asksExit;
    if (exit !== 0) report.fail(end.error);
    return false;
  }

  /** Says what the output itself does not. */
  #explain(end: SessionCellEnd): void {
    const { report } = this;
    if (end.stdinRequested) report.details.stdinRequested = true;
    if (end.exhausted) report.notice(EXHAUSTED);
    else if (end.status === "died")
      report.notice(
        `The Python kernel died: ${describeDeath(end.death as KernelDeath)}; the state of this session is gone`,
      );
    else if (end.status === "lost" && !end.unresponsive)
      report.notice("The connection to the kernel broke and the cell's result is lost");
    if (end.incomplete)
      report.notice("The end of the output may be missing: the kernel did not report that it was done");
    if (end.interrupted) this.#cancelled();
    if (end.unresponsive) {
      report.notice(
        "The kernel did not react to the interrupt within 5 seconds and was restarted; the state of this session is gone",
      );
    }
  }

  #cancelled(): void {
    const { report, request } = this;
    report.details.cancelled = true;
    report.details.timedOut = this.#timeout.signal.aborted;
    report.notice(report.details.timedOut ? `Command timed out after ${request.timeout} seconds` : "Command cancelled");
  }
}

function stdinWarning(prompt: string): string {
  const asked = prompt.trim() === "" ? "" : ` (prompt: ${JSON.stringify(prompt)})`;
  return `[stdin] The code asked for input${asked}, which is not available here; pass the data in the code`;
}

function restartLine(death: KernelDeath): string {
  return `The Python kernel died: ${describeDeath(death)}. It was restarted: earlier state is gone, and this cell ran again`;
}

/** `SystemExit` ends a call: 0 and nothing mean done, a number is the exit code, anything else is 1 as in Python. */
function exitCodeOf(end: SessionCellEnd): number | undefined {
  if (end.error?.name !== "SystemExit") return undefined;
  const value = end.error.value.trim();
  if (value === "" || value === "None" || value === "False") return 0;
  return /^-?\d+$/.test(value) ? Number(value) : 1;
}
