import type { ToolResult } from "../../tools/tool.ts";
import { cleanName, cleanText } from "../clean.ts";
import { FRAME_COLUMNS, renderCodeCell } from "../code-cell.ts";
import { excerpt } from "../excerpt.ts";
import { PREVIEW_LIMITS } from "../limits.ts";
import type { RenderContext } from "../renderer.ts";
import { truncate, wrapWords } from "../text.ts";
import { cachedView, firstText, type ToolRenderer } from "./tool-renderer.ts";

/** The parameters of the `notebook` tool that its views name. */
export interface NotebookCall {
  action?: string;
  notebook_path?: string;
  cell_index?: number;
  cell_id?: string;
  cell_type?: string;
}

/** The details of the `notebook` tool that its views read; null names no cell. */
interface NotebookDetails {
  action?: string;
  cellIndex?: number | null;
  cellId?: string | null;
  cellType?: string | null;
  totalCells?: number;
  cellSource?: string[];
  diff?: string;
  cells?: ListedCell[];
}

interface ListedCell {
  index: number;
  type: string;
  source: string | string[];
  executionCount?: number | null;
}

/** The views of the `notebook` tool: a status line for the call, a summary and the cell's source for the result. */
export const notebookToolRenderer: ToolRenderer<NotebookCall> = {
  renderCall: (parameters, context) => [statusLine("muted", "○", parameters, {}, context)],
  renderResult: (result, parameters) => cachedView((context) => drawResult(result, parameters, context)),
};

function drawResult(result: ToolResult, parameters: NotebookCall, context: RenderContext): string[] {
  const details = result.details as NotebookDetails;
  const text = firstText(result);
  if (result.isError || text.startsWith("Error:")) return drawError(text, parameters, context);
  const head = statusLine("success", "✓", parameters, details, context);
  if (details.cells !== undefined) return [head, ...details.cells.flatMap((cell) => drawListed(cell, context))];
  if (details.diff !== undefined) return [head, ...drawSource(details.diff, "diff", context)];
  if (details.cellSource === undefined) return [head];
  return [head, ...drawSource(details.cellSource.join(""), languageOf(details.cellType), context)];
}

/** The error as the tool told it, under the path that it is about. */
function drawError(text: string, parameters: NotebookCall, context: RenderContext): string[] {
  const { theme, width, expanded } = context;
  const lines = expanded ? PREVIEW_LIMITS.EXPANDED_LINES : PREVIEW_LIMITS.COLLAPSED_LINES * 2;
  const bounds = { lines, characters: PREVIEW_LIMITS.COLLAPSED_CHARACTERS };
  const rows = excerpt(cleanText(text, false), width - FRAME_COLUMNS, bounds, theme, wrapWords);
  return [
    statusLine("error", "✗", parameters, {}, context),
    ...rows.map((row) => `${theme.style("error", "│")} ${theme.style("error", row)}`),
  ];
}

function drawSource(source: string, language: string | undefined, context: RenderContext): string[] {
  if (source === "") return [];
  return renderCodeCell({ code: source, ...(language && { language }) }, context);
}

function drawListed(cell: ListedCell, context: RenderContext): string[] {
  const source = typeof cell.source === "string" ? cell.source : cell.source.join("");
  const count = typeof cell.executionCount === "number" ? ` [${cell.executionCount}]` : "";
  const language = languageOf(cell.type);
  const maxLines = PREVIEW_LIMITS.COLLAPSED_LINES;
  const title = `${cell.index} ${cell.type}${count}`;
  return renderCodeCell({ code: source, title, maxLines, ...(language && { language }) }, context);
}

/** Markdown is known to be Markdown; which language a code cell is in, the tool does not say. */
function languageOf(cellType: string | null | undefined): string | undefined {
  return cellType === "markdown" ? "markdown" : undefined;
}

function statusLine(
  role: "muted" | "success" | "error",
  mark: string,
  parameters: NotebookCall,
  details: NotebookDetails,
  { theme, width }: RenderContext,
): string {
  const index = details.cellIndex ?? parameters.cell_index;
  const cell = index === undefined ? (parameters.cell_id ?? details.cellId ?? undefined) : String(index);
  const type = details.cellType ?? parameters.cell_type;
  const facts = [
    cell === undefined ? "" : `cell ${cleanName(cell)}`,
    type === undefined ? "" : cleanName(type),
    details.totalCells === undefined ? "" : `${details.totalCells} cell${details.totalCells === 1 ? "" : "s"}`,
  ].filter((fact) => fact !== "");
  const action = theme.style("strong", cleanName(details.action ?? parameters.action ?? "notebook"));
  const path = theme.style("accent", cleanName(parameters.notebook_path ?? ""));
  return truncate(
    `${theme.style(role, mark)} ${action} ${path} ${theme.style("muted", facts.join(" · "))}`.trimEnd(),
    width,
  );
}
