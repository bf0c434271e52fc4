import type { NotebookCellDetails, NotebookDetails } from "../execute/notebook-model.ts";
import { readCells } from "../notebook/read-cells.ts";
import type { ToolResult, ToolUpdate } from "../tools/tool.ts";

/** A cell of a run for a person: what the run says of it, its place among the cells of the run, and its source. */
export interface ProgressCell extends NotebookCellDetails {
  position: number;
  source: string;
}

/** What a person sees of the run of one notebook; the calls come one after another. */
export interface RunView {
  /** Before the first cell; the cells are all that are to run. */
  begin(run: RunProgress): void;
  cellStarted(run: RunProgress, cell: ProgressCell): void;
  /** New text of the cell that runs, or a line of the run's own where none does. */
  text(run: RunProgress, text: string): void;
  cellEnded(run: RunProgress, cell: ProgressCell): void | Promise<void>;
  end(run: RunProgress, result: ToolResult): void | Promise<void>;
}

/** Makes of a run's updates what happened, in order. Where updates were lost the result makes up for them. */
export class RunProgress {
  readonly cells: ProgressCell[] = [];
  /** The file that is written, once that is known. */
  file: string | undefined;
  readonly startedAt = performance.now();
  readonly #begun = new Set<number>();
  readonly #ended = new Set<number>();
  #steps: Promise<void> = Promise.resolve();
  #running: ProgressCell | undefined;

  /** `path` is the notebook as the person named it. */
  constructor(
    readonly path: string,
    private readonly cwd: string,
    private readonly view: RunView,
  ) {}

  /** The cell that runs. */
  get running(): ProgressCell | undefined {
    return this.#running;
  }

  /** How many cells have ended. */
  get endedCount(): number {
    return this.#ended.size;
  }

  update(update: ToolUpdate): void {
    this.#then(() => this.#take(update.details as unknown as NotebookDetails, textOf(update)));
  }

  /** Resolves when the view has all of it. */
  async end(result: ToolResult): Promise<void> {
    const details = result.details as unknown as Partial<NotebookDetails>;
    if (details.cells !== undefined) this.#then(() => this.#take(details as NotebookDetails, ""));
    this.#then(() => this.view.end(this, result));
    await this.#steps;
  }

  #then(step: () => void | Promise<void>): void {
    this.#steps = this.#steps.then(step);
  }

  async #take(details: NotebookDetails, text: string): Promise<void> {
    if (this.file === undefined) await this.#begin(details);
    const changed = details.cells.map((cell) => this.#remember(cell));
    const active = changed.filter(({ index, status }) => status !== "pending" && !this.#ended.has(index));
    // Cells that are passed over come with the one that starts after them.
    for (const cell of active) await (cell.status === "skipped" ? this.#finish(cell) : this.#start(cell));
    const shown = this.#withoutHeading(text);
    if (shown !== "") this.view.text(this, shown);
    for (const cell of active) if (cell.status !== "skipped") await this.#finish(cell);
  }

  /** The first news of a run are all of its cells. */
  async #begin({ notebookPath, cells }: NotebookDetails): Promise<void> {
    this.file = notebookPath;
    const contents = await readCells(notebookPath, this.cwd).catch(() => undefined);
    for (const [position, cell] of cells.entries()) {
      this.cells.push({ ...cell, position, source: contents?.cells[cell.index]?.source ?? "" });
    }
    this.view.begin(this);
  }

  #remember(details: NotebookCellDetails): ProgressCell {
    const known = this.cells.find(({ index }) => index === details.index);
    return Object.assign(known ?? { position: this.cells.length, source: "" }, details);
  }

  #start(cell: ProgressCell): void {
    if (this.#begun.has(cell.index)) return;
    this.#begun.add(cell.index);
    this.#running = cell;
    this.view.cellStarted(this, cell);
  }

  async #finish(cell: ProgressCell): Promise<void> {
    if (cell.status === "running") return;
    this.#ended.add(cell.index);
    if (this.#running?.index === cell.index) this.#running = undefined;
    await this.view.cellEnded(this, cell);
  }

  /** What the text for a model says of cells, a view shows in its own way. */
  #withoutHeading(text: string): string {
    const cell = this.#running;
    if (cell === undefined) return text;
    const name = cell.id === null ? `cell ${cell.index}` : `cell ${cell.index} (id ${cell.id})`;
    const heading = `[${cell.position + 1}/${this.cells.length}] ${name}\n`;
    const body = text.startsWith(heading) ? text.slice(heading.length) : text.replace(`\n${heading}`, "\n");
    return cell.status !== "running" && cell.outputs.length === 0 ? body.replace(/(^|\n)\(ok\)\n$/, "$1") : body;
  }
}

function textOf({ content }: ToolUpdate): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("");
}
