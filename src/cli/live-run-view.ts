// A run on a terminal: what has ended is printed for good, what runs is drawn again and again below it. Open from the start;
// `close` gives the terminal back and is idempotent.

import { cleanName, cleanText } from "../render/clean.ts";
import { findLanguage } from "../render/highlight.ts";
import { LiveRegion } from "../render/live-region.ts";
import type { OutputRendering } from "../render/notebook/output-lines.ts";
import type { PicturePainter } from "../render/picture/picture-painter.ts";
import type { RenderContext } from "../render/renderer.ts";
import { boundWidth } from "../render/terminal.ts";
import { wrapWords } from "../render/text.ts";
import { renderFailedCell, renderLiveText, renderRunLine, renderRunOutputs } from "../render/tools/run-lines.ts";
import type { ToolResult } from "../tools/tool.ts";
import { readRunOutputs } from "./read-run-outputs.ts";
import { describeOutcome } from "./run-outcome.ts";
import type { ProgressCell, RunProgress, RunView } from "./run-progress.ts";
import { STANDARD_OUTPUT } from "./watch-call.ts";

/** What the view draws with. */
export interface LiveRunViewOptions {
  context: RenderContext;
  painter: PicturePainter;
  rendering: OutputRendering;
  /** Several notebooks run at once: each has one line. */
  compact: boolean;
}

const FRAME_MS = 80;
/** The end of a running cell's text that is kept to be shown. */
const MOST_TEXT = 20_000;

interface Running {
  cell: ProgressCell;
  text: string;
  startedAt: number;
}

export class LiveRunView implements RunView {
  readonly #options: LiveRunViewOptions;
  readonly #region: LiveRegion;
  readonly #runs = new Map<RunProgress, Running | undefined>();
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(options: LiveRunViewOptions) {
    this.#options = options;
    this.#region = new LiveRegion(STANDARD_OUTPUT);
    this.#timer = setInterval(() => this.#draw(), FRAME_MS);
  }

  begin(run: RunProgress): void {
    this.#runs.set(run, undefined);
    if (this.#options.compact) return;
    const { theme } = this.#options.context;
    const count = `${run.cells.length} code cell${run.cells.length === 1 ? "" : "s"}`;
    this.#print([`${theme.style("accent", cleanName(run.path))} ${theme.style("muted", count)}`]);
  }

  cellStarted(run: RunProgress, cell: ProgressCell): void {
    this.#runs.set(run, { cell, text: "", startedAt: performance.now() });
    this.#draw();
  }

  text(run: RunProgress, text: string): void {
    const running = this.#runs.get(run);
    if (running !== undefined) running.text = (running.text + text).slice(-MOST_TEXT);
    else if (!this.#options.compact) {
      const { theme } = this.#options.context;
      this.#print(
        cleanText(text, false)
          .trimEnd()
          .split("\n")
          .map((line) => theme.style("warning", line)),
      );
    }
  }

  async cellEnded(run: RunProgress, cell: ProgressCell): Promise<void> {
    this.#runs.set(run, undefined);
    if (this.#options.compact || cell.status === "pending") return;
    const line = renderRunLine({ ...cell, label: labelOf(cell) }, this.#context);
    const outputs = cell.status === "error" ? [] : await this.#readOutputs(run, cell);
    this.#region.print([
      line,
      ...(await this.#settled((context) => renderRunOutputs(outputs, this.#options.rendering, context))),
    ]);
    this.#draw();
  }

  async end(run: RunProgress, result: ToolResult): Promise<void> {
    this.#runs.delete(run);
    const { text, failed, cell } = describeOutcome(run, result);
    const { theme } = this.#context;
    if (cell !== undefined) this.#region.print(await this.#drawFailed(run, cell, result));
    if (result.details.code !== undefined) this.#print(errorLines(result).map((line) => theme.style("error", line)));
    this.#print([`${failed ? theme.style("error", "✗") : theme.style("success", "✓")} ${text}`]);
    this.#draw();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#region.close([]);
  }

  get #context(): RenderContext {
    return { ...this.#options.context, width: boundWidth(STANDARD_OUTPUT.columns) };
  }

  /** Prints lines of our own, all of each: what is drawn is cut at the edge. */
  #print(lines: string[]): void {
    this.#region.print(lines.flatMap((line) => wrapWords(line, this.#context.width)));
  }

  #draw(): void {
    const context = this.#context;
    const lines = [...this.#runs].flatMap(([run, running]) => {
      if (running === undefined) return [];
      const { cell, text, startedAt } = running;
      const durationMs = performance.now() - startedAt;
      const label = this.#options.compact
        ? `${cleanName(run.path)} ${cell.position + 1}/${run.cells.length}`
        : labelOf(cell);
      const line = renderRunLine({ label, source: cell.source, status: "running", durationMs }, context);
      return this.#options.compact ? [line] : [line, ...renderLiveText(text, context)];
    });
    this.#region.update(lines);
  }

  async #drawFailed(run: RunProgress, cell: ProgressCell, { details }: ToolResult): Promise<string[]> {
    const outputs = await this.#readOutputs(run, cell);
    const language = findLanguage(String(details.kernel ?? "")) ?? "python";
    return this.#settled((context) =>
      renderFailedCell({ ...cell, language }, outputs, this.#options.rendering, context),
    );
  }

  async #readOutputs(run: RunProgress, cell: ProgressCell): Promise<readonly unknown[]> {
    return run.file === undefined ? [] : await readRunOutputs(run.file, cell);
  }

  /** Draws, and once more when the pictures of it are decoded. */
  async #settled(draw: (context: RenderContext) => string[]): Promise<string[]> {
    const { painter } = this.#options;
    const lines = draw(this.#context);
    if (!painter.pending) return lines;
    await painter.settle();
    const settled = draw(this.#context);
    painter.clear();
    return settled;
  }
}

function labelOf({ index }: ProgressCell): string {
  return `[${index}]`;
}

function errorLines({ content }: ToolResult): string[] {
  const text = content.map((block) => ("text" in block ? block.text : "")).join("");
  return cleanText(text, false).split("\n");
}
