import { cleanName, cleanText } from "../clean.ts";
import { FRAME_COLUMNS, renderCodeCell } from "../code-cell.ts";
import { formatDuration } from "../duration.ts";
import { PREVIEW_LIMITS } from "../limits.ts";
import { type OutputRendering, renderOutputs } from "../notebook/output-lines.ts";
import type { RenderContext } from "../renderer.ts";
import { type CellStatus, statusMark } from "../status-mark.ts";
import { truncate, wrapColumns } from "../text.ts";

/** A cell of a notebook's run as its line shows it. */
export interface RunLine {
  /** What stands before the code, such as the cell's place. */
  label: string;
  source: string;
  status: CellStatus | "skipped";
  /** Time taken, or so far. */
  durationMs: number;
}

/** Rows of a running cell's text that are shown below its line. */
const LIVE_ROWS = 8;

/** One line: how the cell stands, its first line of code, and the time. */
export function renderRunLine({ label, source, status, durationMs }: RunLine, { theme, width }: RenderContext): string {
  const isSkipped = status === "skipped";
  const mark = isSkipped ? theme.style("muted", "-") : statusMark(status, durationMs, theme);
  const time = status === "pending" ? "" : isSkipped ? "skipped" : formatDuration(durationMs);
  const code = cleanName(source.split("\n").find((line) => line.trim() !== "") ?? "");
  const room = Math.max(8, width - Bun.stringWidth(label) - time.length - 5);
  const parts = [mark, theme.style("muted", label), truncate(code, room), theme.style("muted", time)];
  return truncate(parts.filter((part) => part !== "").join(" "), width);
}

/** The end of a running cell's text. */
export function renderLiveText(text: string, context: RenderContext): string[] {
  const end = text.slice(-LIVE_ROWS * 400).replace(/\n$/, "");
  if (end === "") return [];
  const rows = wrapColumns(cleanText(end, context.theme.colors !== "none"), context.width - FRAME_COLUMNS);
  return inside(rows.slice(-LIVE_ROWS), context);
}

/** The outputs of a cell that has ended, below its line. */
export function renderRunOutputs(
  outputs: readonly unknown[],
  rendering: OutputRendering,
  context: RenderContext,
): string[] {
  const inner = { ...context, width: context.width - FRAME_COLUMNS };
  return renderOutputs(outputs, rendering, inner).flatMap(({ lines }) => inside(lines, context));
}

/** The cell that a run ended with: its code and what it put out. */
export function renderFailedCell(
  cell: { source: string; index: number; language?: string | undefined; durationMs: number },
  outputs: readonly unknown[],
  rendering: OutputRendering,
  context: RenderContext,
): string[] {
  const sections = renderOutputs(outputs, rendering, { ...context, width: context.width - FRAME_COLUMNS });
  const { source: code, index, language, durationMs } = cell;
  const maxLines = PREVIEW_LIMITS.NOTEBOOK_CODE_LINES;
  const known = language === undefined ? {} : { language };
  const view = {
    code,
    title: `cell ${index}`,
    status: "error" as const,
    durationMs,
    sections,
    maxLines,
    lineNumbers: true,
  };
  return renderCodeCell({ ...view, ...known }, context);
}

function inside(lines: readonly string[], { theme }: RenderContext): string[] {
  return lines.map((line) => `${theme.style("muted", "│")} ${line}`);
}
