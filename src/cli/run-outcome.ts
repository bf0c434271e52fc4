import type { NotebookDetails } from "../execute/notebook-model.ts";
import { cleanName } from "../render/clean.ts";
import { formatDuration } from "../render/duration.ts";
import type { ToolResult } from "../tools/tool.ts";
import type { ProgressCell, RunProgress } from "./run-progress.ts";

/** How a run ended: one sentence, and the cell that made it fail. */
export interface RunOutcome {
  text: string;
  failed: boolean;
  cell: ProgressCell | undefined;
}

/** Says how the run of a notebook ended. */
export function describeOutcome(run: RunProgress, { details, isError }: ToolResult): RunOutcome {
  const { executed, failedCell, cancelled, timedOut } = details as unknown as Partial<NotebookDetails>;
  const time = formatDuration(performance.now() - run.startedAt);
  const name = cleanName(run.path);
  const count = run.cells.length;
  const cells = `${executed ?? 0} of ${count} cell${count === 1 ? "" : "s"} ran`;
  const cell = run.cells.find(({ index }) => index === failedCell);
  if (!isError)
    return { text: `${name}: ${executed} cell${executed === 1 ? "" : "s"} in ${time}`, failed: false, cell };
  const where = cell === undefined ? "" : `cell ${cell.index} `;
  const what = timedOut ? "timed out" : cancelled ? "was cancelled" : "failed";
  if (run.file === undefined) return { text: `${name}: could not run`, failed: true, cell };
  return { text: `${name}: ${where}${what} after ${time}; ${cells}`, failed: true, cell };
}
