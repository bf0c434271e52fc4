import type { ToolResult, ToolUpdate } from "../../tools/tool.ts";
import { cleanName, cleanText } from "../clean.ts";
import { formatDuration } from "../duration.ts";
import { excerpt } from "../excerpt.ts";
import { PREVIEW_LIMITS } from "../limits.ts";
import type { RenderContext, View } from "../renderer.ts";
import { type CellStatus, statusMark } from "../status-mark.ts";
import { truncate, wrapWords } from "../text.ts";
import { LiveText } from "./live-text.ts";
import { cachedView } from "./tool-renderer.ts";

/** The details of the `run_notebook` tool that its view reads. */
interface RunDetails {
  cells?: RunCell[];
  executed?: number;
  kernel?: string | null;
  notebookPath?: string;
  saved?: boolean;
}

interface RunCell {
  index: number;
  status: CellStatus;
  executionCount: number | null;
  durationMs: number;
  outputs?: { type: string; text?: string; mimeTypes?: string[] }[];
  error: { name: string; value: string; traceback: string[] } | null;
}

/** Rows that finished cells may take before the running one, so that it stays on the screen. */
const FINISHED_ROWS = 8;
const INDENT = "  ";

/**
 * The view of a notebook's run: a row a cell with its status, count and time, the last line that the running one printed, the
 * traceback of one that failed. While it runs only the cells around the running one are shown, afterwards all that ran.
 */
export class RunNotebookView implements View {
  readonly #path: string;
  readonly #now: () => number;
  #live: LiveText | undefined;
  #running = -1;
  #startedAt = 0;
  #beganAt: number | undefined;
  #endedAt: number | undefined;
  #details: RunDetails = {};
  #still = cachedView((context) => this.#draw(context));

  constructor(path: string, now: () => number = () => performance.now()) {
    this.#path = path;
    this.#now = now;
  }

  get running(): boolean {
    return this.#endedAt === undefined && this.#beganAt !== undefined;
  }

  update({ content, details }: ToolUpdate): void {
    this.#take(details);
    this.#beganAt ??= this.#now();
    const position = this.#cells.findIndex((cell) => cell.status === "running");
    if (position !== this.#running) this.#startedAt = this.#now();
    this.#running = position;
    this.#live ??= new LiveText(this.#cells.length);
    this.#live.add(content.map((block) => (block.type === "text" ? block.text : "")).join(""), position);
  }

  finish({ details }: ToolResult): void {
    this.#take(details);
    this.#beganAt ??= this.#now();
    this.#endedAt = this.#now();
  }

  render(context: RenderContext): string[] {
    return this.running ? this.#draw(context) : this.#still.render(context);
  }

  get #cells(): RunCell[] {
    return this.#details.cells ?? [];
  }

  /** An update has the cells that have changed, the first one all of them. */
  #take(details: RunDetails): void {
    const cells = new Map([...this.#cells, ...(details.cells ?? [])].map((cell) => [cell.index, cell]));
    this.#details = { ...this.#details, ...details, cells: [...cells.values()] };
    this.#still = cachedView((context) => this.#draw(context));
  }

  #draw(context: RenderContext): string[] {
    const cells = this.#cells;
    const finished = cells.filter((cell) => cell.status === "complete" || cell.status === "error");
    const shown = this.running ? finished.slice(-FINISHED_ROWS) : finished;
    const waiting = cells.filter((cell) => cell.status === "pending").length;
    const muted = (text: string) => truncate(context.theme.style("muted", text), context.width);
    const earlier = finished.length - shown.length;
    return [
      this.#drawHead(finished.length, context),
      ...(earlier > 0 ? [muted(`… ${earlier} finished`)] : []),
      ...shown.flatMap((cell) => [this.#drawRow(cell, cell.durationMs, context), ...drawError(cell, context)]),
      ...this.#drawRunning(context),
      ...(waiting > 0 ? [muted(`○ ${waiting} ${this.running ? "to come" : "not run"}`)] : []),
    ];
  }

  #drawHead(finished: number, { theme, width }: RenderContext): string {
    const { kernel, notebookPath } = this.#details;
    const time = this.#beganAt === undefined ? 0 : (this.#endedAt ?? this.#now()) - this.#beganAt;
    const facts = [`${finished} of ${this.#cells.length} cells`, cleanName(kernel ?? ""), formatDuration(time)];
    const name = theme.style("accent", cleanName(notebookPath ?? this.#path));
    return truncate(`${name} ${theme.style("muted", facts.filter((fact) => fact !== "").join(" · "))}`, width);
  }

  #drawRunning(context: RenderContext): string[] {
    const cell = this.#cells[this.#running];
    if (!this.running || cell === undefined) return [];
    const lines = cleanText(this.#live?.of(this.#running) ?? "", false).trimEnd();
    const last = lines.slice(lines.lastIndexOf("\n") + 1);
    const row = this.#drawRow(cell, this.#now() - this.#startedAt, context);
    return last === "" ? [row] : [row, truncate(context.theme.style("muted", INDENT + last), context.width)];
  }

  #drawRow(
    { status, index, executionCount, outputs = [] }: RunCell,
    ms: number,
    { theme, width }: RenderContext,
  ): string {
    const count = status === "running" ? " [*]" : executionCount === null ? "" : ` [${executionCount}]`;
    const pictures = outputs.filter(({ mimeTypes = [] }) => mimeTypes.some((mime) => mime.startsWith("image/"))).length;
    const facts = [formatDuration(ms), pictures > 0 ? `${pictures} picture${pictures === 1 ? "" : "s"}` : ""];
    const note = facts.filter((fact) => fact !== "").join(" · ");
    return truncate(`${statusMark(status, ms, theme)} cell ${index}${count} ${theme.style("muted", note)}`, width);
  }
}

function drawError({ error }: RunCell, { theme, width, expanded }: RenderContext): string[] {
  if (error === null) return [];
  const text = error.traceback.length > 0 ? error.traceback.join("\n") : `${error.name}: ${error.value}`;
  const lines = expanded ? PREVIEW_LIMITS.NOTEBOOK_LINES : PREVIEW_LIMITS.COLLAPSED_LINES * 2;
  const bounds = { lines, characters: PREVIEW_LIMITS.COLLAPSED_CHARACTERS };
  const wrap = error.traceback.length > 0 ? undefined : wrapWords;
  const clean = cleanText(text, theme.colors !== "none");
  return excerpt(clean, width - 2, bounds, theme, wrap).map((row) => `${theme.style("error", "│")} ${row}`);
}
