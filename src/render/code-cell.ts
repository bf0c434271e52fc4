import { cleanCode, cleanName } from "./clean.ts";
import { formatDuration } from "./duration.ts";
import { firstLines, safeCut } from "./excerpt.ts";
import { highlight } from "./highlight.ts";
import { PREVIEW_LIMITS } from "./limits.ts";
import type { RenderContext } from "./renderer.ts";
import { type CellStatus, statusMark } from "./status-mark.ts";
import { truncate, wrapColumns } from "./text.ts";

/** A cell of code and what belongs below it. */
export interface CodeCell {
  code: string;
  /** Any name that a kernel or a code fence has for it; without one the code has no colours. */
  language?: string;
  title?: string;
  /** What stands small behind the title. */
  note?: string;
  status?: CellStatus;
  /** Time taken, or so far while the cell runs. */
  durationMs?: number;
  lineNumbers?: boolean;
  /** Lines of code in a collapsed view. */
  maxLines?: number;
  /** Parts below the code, each drawn under a line with its label; their lines are already safe and at most `width - 2` wide. */
  sections?: CellSection[];
}

/** A labelled part below a cell's code. */
export interface CellSection {
  label: string;
  lines: string[];
}

/** Columns that the frame takes from what stands in it. */
export const FRAME_COLUMNS = 2;

/** Draws a cell in a frame that is open to the right, so that no character's width can break it. */
export function renderCodeCell(cell: CodeCell, context: RenderContext): string[] {
  const { theme, width } = context;
  const frame = (text: string) => theme.style(cell.status === "error" ? "error" : "muted", text);
  const inside = (lines: string[]) => lines.map((line) => (line === "" ? frame("│") : `${frame("│")} ${line}`));
  const inner = { ...context, width: width - FRAME_COLUMNS };
  const sections = (cell.sections ?? []).filter((section) => section.lines.length > 0);
  return [
    truncate(`${frame("╭─")} ${headOf(cell, context)}`.trimEnd(), width),
    ...inside(cell.code === "" && sections.length > 0 ? [] : renderCode(cell, inner)),
    ...sections.flatMap(({ label, lines }) => [
      truncate(`${frame("├─")} ${theme.style("muted", label)}`.trimEnd(), width),
      ...inside(lines),
    ]),
    frame("╰─"),
  ];
}

/** The code alone: coloured, numbered where asked, collapsed to `maxLines` unless the context is expanded. */
export function renderCode(cell: CodeCell, context: RenderContext): string[] {
  const { theme, width, expanded } = context;
  const shown = expanded ? PREVIEW_LIMITS.EXPANDED_LINES : (cell.maxLines ?? PREVIEW_LIMITS.COLLAPSED_LINES * 2);
  const { code, rest } = boundCode(cleanCode(cell.code), expanded);
  const lines = highlight(code, cell.language, theme).replace(/\n$/, "").split("\n");
  const digits = String(lines.length).length;
  const gutter = (text: string) => theme.style("muted", `${text.padStart(digits)} `);
  const room = cell.lineNumbers ? Math.max(2, width - digits - 1) : width;
  const rows = lines.slice(0, shown + 2).flatMap((line, index) => {
    const wrapped = wrapColumns(line, room);
    return cell.lineNumbers ? wrapped.map((row, part) => gutter(part === 0 ? String(index + 1) : "") + row) : wrapped;
  });
  const hidden = Math.max(0, lines.length - shown - 2);
  const bounded = firstLines([...rows, ...Array<string>(hidden).fill("")], shown, theme, width);
  return rest === 0 ? bounded : [...bounded, theme.style("muted", `… ${rest.toLocaleString("en")} characters more`)];
}

/** The status line of a cell: mark, title, time. */
function headOf(cell: CodeCell, { theme }: RenderContext): string {
  const mark = cell.status === undefined ? "" : statusMark(cell.status, cell.durationMs ?? 0, theme);
  const time = cell.durationMs === undefined || cell.status === "pending" ? "" : formatDuration(cell.durationMs);
  const title = cell.title === undefined ? "" : theme.style("strong", cleanName(cell.title));
  const note = theme.style("muted", cleanName(cell.note ?? ""));
  return [mark, title, note, theme.style("muted", time)].filter((part) => part !== "").join(" ");
}

function boundCode(code: string, expanded: boolean): { code: string; rest: number } {
  const limit = expanded ? PREVIEW_LIMITS.EXPANDED_CHARACTERS : PREVIEW_LIMITS.COLLAPSED_CHARACTERS;
  return { code: code.slice(0, safeCut(code, limit)), rest: Math.max(0, code.length - limit) };
}
