import { LiveRegion } from "../render/live-region.ts";
import { LiveView, type RunningView } from "../render/live-view.ts";
import type { PicturePainter } from "../render/picture/picture-painter.ts";
import type { RenderContext } from "../render/renderer.ts";
import { boundWidth, type Terminal } from "../render/terminal.ts";
import { createTheme } from "../render/theme.ts";
import type { ToolResult, ToolUpdate } from "../tools/tool.ts";
import type { Invocation } from "./command.ts";
import { createPainter, openArtifacts } from "./pictures.ts";
import { writeOut } from "./standard-output.ts";

/** The view of a call, which takes what is told of it. */
export interface CallView extends RunningView {
  update(update: ToolUpdate): void;
  finish(result: ToolResult): void;
}

/**
 * A call that a person watches: drawn over and over while it runs, at the width that the terminal has at the moment, and at
 * its end once more, whole and with its pictures. Whoever makes one calls `finish` or `abandon`.
 */
export class WatchedCall {
  readonly #view: CallView;
  readonly #painter: PicturePainter;
  readonly #base: Omit<RenderContext, "width" | "expanded">;
  readonly #region: LiveRegion;
  readonly #live: LiveView;
  readonly #onResize = () => this.#live.refresh();
  readonly #onExit = () => this.abandon();

  constructor(view: CallView, terminal: Terminal, invocation: Invocation) {
    this.#view = view;
    this.#painter = createPainter(terminal);
    this.#base = { theme: createTheme(terminal), ...openArtifacts(invocation) };
    this.#region = new LiveRegion(STANDARD_OUTPUT);
    this.#live = new LiveView(this.#region, view, () => this.#context({ expanded: false }));
    process.stdout.on("resize", this.#onResize);
    process.once("exit", this.#onExit);
  }

  update(update: ToolUpdate): void {
    this.#view.update(update);
    this.#live.refresh();
  }

  /** Draws the result; what the tool could not even begin leaves nothing on the screen, its error is told elsewhere. */
  async finish(result: ToolResult): Promise<void> {
    if (result.details.code !== undefined) return this.#end([]);
    this.#view.finish(result);
    // Drawn twice: the first time begins to decode the pictures.
    const draw = () => {
      const picture: RenderContext["picture"] = (wanted, width) => this.#painter.lines(wanted, width);
      return this.#view.render(this.#context({ expanded: true, picture }));
    };
    draw();
    await this.#painter.settle();
    this.#end(draw());
  }

  /** Leaves what is drawn where it stands, and gives the cursor back. */
  abandon(): void {
    this.#end();
  }

  #end(lines?: string[]): void {
    this.#live.stop();
    process.stdout.off("resize", this.#onResize);
    process.off("exit", this.#onExit);
    this.#region.close(lines);
  }

  #context(more: Partial<RenderContext> & { expanded: boolean }): RenderContext {
    return { ...this.#base, width: boundWidth(STANDARD_OUTPUT.columns), ...more };
  }
}

/** The terminal at its present size: the signal that it has changed may come after the next drawing. */
export const STANDARD_OUTPUT = {
  write: writeOut,
  get columns() {
    refreshSize();
    return process.stdout.columns ?? 80;
  },
  get rows() {
    refreshSize();
    return process.stdout.rows ?? 24;
  },
};

function refreshSize(): void {
  const stream: { _refreshSize?(): void } = process.stdout as object;
  stream._refreshSize?.();
}
