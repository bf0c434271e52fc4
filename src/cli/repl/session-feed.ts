// What happens in a session, cell by cell: the cells that run as views that change, and those that have ended, once each.

import type { CellDetails, PythonDetails } from "../../execute/model.ts";
import type { SessionEvent } from "../../execute/session-watchers.ts";
import type { RendererRegistry } from "../../render/renderer-registry.ts";
import { PythonView } from "../../render/tools/python.ts";
import type { ToolResult } from "../../tools/tool.ts";

/** Where the cells of a session are shown. `onEnded` takes them in the order in which they ended. */
export interface FeedOptions {
  registry: RendererRegistry;
  /** The title of cells whose result comes by another way, with its pictures. */
  ownTitle: string;
  onEnded(view: PythonView): void;
}

interface Running {
  view: PythonView;
  index: number;
}

/** The heading that a call of several cells puts before the text of each. */
const HEADING = /^\[\d+\/\d+\][^\n]*\n/;

export class SessionFeed {
  readonly #options: FeedOptions;
  /** By call. */
  readonly #running = new Map<string, Running>();
  readonly #ended = new Map<string, number>();

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  /** The views of the cells that run. */
  get running(): PythonView[] {
    return [...this.#running.values()].map(({ view }) => view);
  }

  take({ call, content, details, ended }: SessionEvent): void {
    for (const cell of details.cells) {
      const isOver = cell.status === "complete" || cell.status === "error";
      if (isOver && cell.index >= (this.#ended.get(call) ?? 0)) this.#end(call, cell, details);
    }
    const cell = details.cells.find(({ status }) => status === "running");
    if (cell !== undefined && !ended) {
      const running = this.#running.get(call);
      const view = running?.index === cell.index ? running.view : this.#viewOf(cell);
      this.#running.set(call, { view, index: cell.index });
      const [first, ...rest] = content;
      const text = first?.type === "text" ? [{ ...first, text: first.text.replace(HEADING, "") }] : content.slice(0, 1);
      view.update({ content: [...text, ...rest], details: detailsOf(cell, details.kernel) });
    }
    if (!ended) return;
    this.#running.delete(call);
    this.#ended.delete(call);
  }

  /** Shows the result of a call of our own. */
  takeResult(result: ToolResult): void {
    const { cells = [], kernel, ...details } = result.details as { cells?: CellDetails[]; kernel?: string | null };
    for (const cell of cells) {
      const view = this.#viewOf(cell);
      view.finish({ ...result, details: { ...details, ...detailsOf(cell, kernel ?? null) } });
      this.#options.onEnded(view);
    }
  }

  #end(call: string, cell: CellDetails, details: PythonDetails): void {
    this.#ended.set(call, cell.index + 1);
    this.#running.delete(call);
    if (cell.title === this.#options.ownTitle) return;
    const view = this.#viewOf(cell);
    const own = { ...detailsOf(cell, details.kernel), ...outputsOf(cell, details) };
    view.finish({ content: [{ type: "text", text: cell.output }], details: own, isError: false });
    this.#options.onEnded(view);
  }

  #viewOf({ code }: CellDetails): PythonView {
    return new PythonView({ cells: [{ code }] }, { registry: this.#options.registry });
  }
}

/** What a cell gave beside text, as the details of a call of that cell alone. */
function outputsOf({ index }: CellDetails, details: PythonDetails) {
  const { cellIndexes, outputs } = details;
  const own = <Name extends keyof typeof cellIndexes>(name: Name) =>
    (details[name] as unknown[]).filter((_, at) => cellIndexes[name][at] === index);
  return {
    jsonOutputs: own("jsonOutputs"),
    markdown: own("markdown"),
    images: own("images"),
    outputs: outputs.filter(({ cell }) => cell === index).map((output) => ({ ...output, cell: 0 })),
  };
}

function detailsOf(cell: CellDetails, kernel: string | null): Record<string, unknown> {
  return { cells: [{ ...cell, index: 0, title: null }], kernel };
}
