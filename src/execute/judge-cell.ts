import type { KernelMessage } from "@jupyterlab/services";
import { describeDeath } from "./kernel-session.ts";
import type { CellError, KernelDeath } from "./model.ts";
import type { SessionCellEnd } from "./sessions.ts";

/** What the end of a cell means to its call. */
export interface CellVerdict {
  status: "complete" | "error" | "pending";
  exitCode: number | null;
  /** The call failed with this cell; false for `sys.exit(0)`, which ends it as done. */
  failed: boolean;
  /** The next cell may run. */
  goesOn: boolean;
  error?: CellError;
  /** What the output itself does not say. */
  notices: string[];
}

export const EXHAUSTED = "Python kernel restarted too many times in this session";

/**
 * Judges how a cell ended. An interrupt that was sent makes it a cancelled one whatever it replied, since code may catch
 * KeyboardInterrupt; a request for input makes it a failed one; a request that was aborted never ran.
 */
export function judgeCell(end: SessionCellEnd): CellVerdict {
  const notices = explain(end);
  const { error } = end;
  if (end.status === "aborted") {
    const reason = end.interrupted ? [] : ["The kernel did not run the cell, because an earlier request had failed"];
    return { status: "pending", exitCode: null, failed: true, goesOn: false, notices: [...reason, ...notices] };
  }
  const exit = end.interrupted ? undefined : exitCodeOf(error);
  if (exit === 0 && !end.stdinRequested)
    return { status: "complete", exitCode: 0, failed: false, goesOn: false, notices };
  if (end.status === "ok" && !end.interrupted && !end.stdinRequested) {
    return { status: "complete", exitCode: 0, failed: false, goesOn: !end.asksExit, notices };
  }
  const failure = { status: "error", exitCode: exit ?? 1, failed: true, goesOn: false, notices } as const;
  return error === undefined ? failure : { ...failure, error };
}

/** The warning in the output of a cell that asked for input. */
export function stdinWarning(prompt: string): string {
  const asked = prompt.trim() === "" ? "" : ` (prompt: ${JSON.stringify(prompt)})`;
  return `[stdin] The code asked for input${asked}, which is not available here; pass the data in the code`;
}

function explain(end: SessionCellEnd): string[] {
  const notices: string[] = [];
  if (end.exhausted) notices.push(EXHAUSTED);
  else if (end.death?.disconnected) {
    notices.push("The connection to the kernel was lost while the cell ran; whether it ran to its end is not known");
  } else if (end.status === "died") {
    notices.push(
      `The Python kernel died: ${describeDeath(end.death as KernelDeath)}; the state of this session is gone`,
    );
  } else if (end.status === "lost" && !end.unresponsive) {
    notices.push("The connection to the kernel broke and the cell's result is lost");
  } else if (end.incomplete) {
    notices.push("The end of the output may be missing: the kernel did not report that it was done");
  }
  if (end.limited) {
    notices.push(
      "The output is incomplete: the server's rate limit dropped some of it; start it with higher ServerApp.iopub_data_rate_limit and ServerApp.iopub_msg_rate_limit",
    );
  }
  if (end.unresponsive) {
    notices.push("The kernel ignored the interrupt for 5 seconds and was restarted; the state of this session is gone");
  }
  return notices;
}

/** Whether an iopub message is the error that `sys.exit()` or `sys.exit(0)` makes: no error to whoever reads the output. */
export function tellsOfGoodExit({ header, content }: KernelMessage.IIOPubMessage): boolean {
  if (header.msg_type !== "error") return false;
  const { ename, evalue } = content as KernelMessage.IErrorMsg["content"];
  return exitCodeOf({ name: ename, value: evalue, traceback: [] }) === 0;
}

/** `SystemExit`: 0 and nothing mean done, a number is the exit code, anything else is 1 as in Python. */
function exitCodeOf(error: CellError | undefined): number | undefined {
  if (error?.name !== "SystemExit") return undefined;
  const value = error.value.trim();
  if (value === "" || value === "None" || value === "False") return 0;
  return /^-?\d+$/.test(value) ? Number(value) : 1;
}
