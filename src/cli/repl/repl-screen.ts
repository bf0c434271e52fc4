// The terminal of a repl: what has ended is printed for good; what runs, and the input below it, are drawn again and again.
// Open from the start; `close` gives the terminal back and is idempotent.

import { LiveRegion } from "../../render/live-region.ts";
import type { PicturePainter } from "../../render/picture/picture-painter.ts";
import type { RenderContext } from "../../render/renderer.ts";
import { boundWidth, type Terminal } from "../../render/terminal.ts";
import { wrapWords } from "../../render/text.ts";
import { createTheme } from "../../render/theme.ts";
import type { PythonView } from "../../render/tools/python.ts";
import type { Invocation } from "../command.ts";
import { createPainter, openArtifacts } from "../pictures.ts";
import { STANDARD_OUTPUT } from "../watch-call.ts";

const FRAME_MS = 80;

/** What is drawn below what has ended: the views that run, and the rows of the input. */
export interface LowerPart {
  running: readonly PythonView[];
  input(context: RenderContext): string[];
}

export class ReplScreen {
  readonly #region = new LiveRegion(STANDARD_OUTPUT);
  readonly #painter: PicturePainter;
  readonly #base: Omit<RenderContext, "width" | "expanded">;
  readonly #lower: () => LowerPart;
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #onResize = () => this.draw();
  #printing: Promise<void> = Promise.resolve();

  constructor(terminal: Terminal, invocation: Invocation, lower: () => LowerPart) {
    this.#painter = createPainter(terminal);
    this.#base = { theme: createTheme(terminal), ...openArtifacts(invocation) };
    this.#lower = lower;
    this.#timer = setInterval(() => {
      if (this.#lower().running.length > 0) this.draw();
    }, FRAME_MS);
    process.stdout.on("resize", this.#onResize);
    // Pasted text comes between marks, so that its line breaks do not run it (xterm, "Bracketed Paste Mode").
    STANDARD_OUTPUT.write("\x1b[?2004h");
  }

  get context(): RenderContext {
    return { ...this.#base, width: boundWidth(STANDARD_OUTPUT.columns), expanded: false };
  }

  draw(): void {
    const { running, input } = this.#lower();
    const { context } = this;
    this.#region.update([...running.flatMap((view) => view.render(context)), ...input(context)]);
  }

  print(lines: string[]): void {
    this.#region.print(lines.flatMap((line) => wrapWords(line, this.context.width)));
  }

  /** Prints a cell that has ended, with its pictures, after those that ended before it. */
  printView(view: PythonView): void {
    this.#printing = this.#printing.then(async () => {
      // Drawn twice: the first time begins to decode the pictures. A view draws anew for another way to show them.
      const draw = () => {
        const picture: RenderContext["picture"] = (wanted, width) => this.#painter.lines(wanted, width);
        return view.render({ ...this.context, expanded: true, picture });
      };
      draw();
      await this.#painter.settle();
      this.#region.print(draw());
      this.draw();
    });
  }

  /** An empty screen with the input on top. */
  clear(): void {
    this.#region.update([]);
    STANDARD_OUTPUT.write("\x1b[2J\x1b[H");
    this.draw();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    process.stdout.off("resize", this.#onResize);
    await this.#printing;
    this.#region.close([]);
    STANDARD_OUTPUT.write("\x1b[?2004l");
  }
}
