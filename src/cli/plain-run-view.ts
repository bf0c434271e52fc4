import { cleanName, cleanText } from "../render/clean.ts";
import { formatDuration } from "../render/duration.ts";
import type { ToolResult } from "../tools/tool.ts";
import { describeOutcome } from "./run-outcome.ts";
import type { ProgressCell, RunProgress, RunView } from "./run-progress.ts";

/**
 * A run as lines for a file or a pipe: each cell's first line of code as it starts, its text as it comes, and how it ended.
 * Of several notebooks at once each is written as a whole when it has ended.
 */
export class PlainRunView implements RunView {
  readonly #write: (text: string) => void;
  readonly #whole: boolean;
  readonly #texts = new Map<RunProgress, string>();
  /** Runs whose text ends in the middle of a line. */
  readonly #open = new Set<RunProgress>();

  constructor(write: (text: string) => void, options: { whole: boolean }) {
    this.#write = write;
    this.#whole = options.whole;
  }

  begin(run: RunProgress): void {
    const count = run.cells.length;
    this.#line(run, `${cleanName(run.path)}: ${count} code cell${count === 1 ? "" : "s"}`);
  }

  cellStarted(run: RunProgress, cell: ProgressCell): void {
    const code = cell.source.split("\n").find((line) => line.trim() !== "") ?? "";
    this.#line(run, `${headOf(run, cell)} ${cleanName(code)}`.trimEnd());
  }

  text(run: RunProgress, text: string): void {
    const clean = cleanText(text, false);
    this.#put(run, clean);
    if (clean.endsWith("\n")) this.#open.delete(run);
    else this.#open.add(run);
  }

  cellEnded(run: RunProgress, cell: ProgressCell): void {
    const ends = { complete: "done in", error: "failed after", skipped: "skipped", running: "", pending: "" };
    const time = cell.status === "skipped" ? "" : formatDuration(cell.durationMs);
    this.#line(run, `${headOf(run, cell)} ${ends[cell.status]} ${time}`.trimEnd());
  }

  end(run: RunProgress, result: ToolResult): void {
    const { text, failed } = describeOutcome(run, result);
    if (result.details.code !== undefined)
      this.text(run, result.content.map((block) => ("text" in block ? block.text : "")).join(""));
    this.#line(run, `${failed ? "FAILED" : "ok"} ${text}`);
    if (this.#whole) this.#write(this.#texts.get(run) ?? "");
    this.#texts.delete(run);
  }

  #line(run: RunProgress, line: string): void {
    this.#put(run, `${this.#open.delete(run) ? "\n" : ""}${line}\n`);
  }

  #put(run: RunProgress, text: string): void {
    if (this.#whole) this.#texts.set(run, (this.#texts.get(run) ?? "") + text);
    else this.#write(text);
  }
}

function headOf(run: RunProgress, { position, index }: ProgressCell): string {
  return `[${position + 1}/${run.cells.length}] cell ${index}:`;
}
