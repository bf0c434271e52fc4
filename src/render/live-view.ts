import type { LiveRegion } from "./live-region.ts";
import type { RenderContext, View } from "./renderer.ts";

/** A view that changes with time while something in it runs. */
export interface RunningView extends View {
  readonly running: boolean;
}

/** How often a spinner turns. */
const FRAME_MS = 80;

/**
 * Keeps a live region at what a view shows. It draws when told, and by itself while the view runs; `context` is asked each
 * time, so that the width is the terminal's of that moment. Its owner calls `stop`, then closes the region.
 */
export class LiveView {
  readonly #region: LiveRegion;
  readonly #view: RunningView;
  readonly #context: () => RenderContext;
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(region: LiveRegion, view: RunningView, context: () => RenderContext) {
    this.#region = region;
    this.#view = view;
    this.#context = context;
    this.#timer = setInterval(() => {
      if (view.running) this.refresh();
    }, FRAME_MS);
    this.refresh();
  }

  refresh(): void {
    this.#region.update(this.#view.render(this.#context()));
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
