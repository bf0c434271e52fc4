import type { Invocation } from "./command.ts";
import { PlainRunView } from "./plain-run-view.ts";
import type { RunView } from "./run-progress.ts";
import { TextWriter } from "./standard-output.ts";

/** A view of runs; `close` resolves when all of it has left the process, and is idempotent. */
export interface OpenRunView {
  view: RunView;
  close(): Promise<void>;
}

const NO_VIEW: RunView = { begin() {}, cellStarted() {}, text() {}, cellEnded() {}, end() {} };

/**
 * The view for where the runs are seen: drawn on a terminal, lines anywhere else, nothing beside JSON. With `toError` standard
 * output is a report's, and the lines go to standard error.
 */
export async function openRunView(
  invocation: Invocation,
  options: { jobs: number; toError: boolean; onGone(): void },
): Promise<OpenRunView> {
  const { jobs, toError, onGone } = options;
  if (invocation.json) return { view: NO_VIEW, close: async () => {} };
  if (toError) {
    const view = new PlainRunView((text) => process.stderr.write(text), { whole: jobs > 1 });
    return { view, close: async () => {} };
  }
  if (process.stdout.isTTY) return await openLiveView(invocation, jobs);
  const out = new TextWriter(onGone);
  return { view: new PlainRunView((text) => out.write(text), { whole: jobs > 1 }), close: () => out.drain() };
}

async function openLiveView(invocation: Invocation, jobs: number): Promise<OpenRunView> {
  const [{ openTerminal }, { createPainter }, { createRenderContext }, { loadOutputRendering }, { LiveRunView }] =
    await Promise.all([
      import("./open-terminal.ts"),
      import("./pictures.ts"),
      import("./render-context.ts"),
      import("./output-rendering.ts"),
      import("./live-run-view.ts"),
    ]);
  const terminal = await openTerminal(invocation);
  const painter = createPainter(terminal);
  const context = createRenderContext(terminal, painter, invocation);
  const rendering = await loadOutputRendering(invocation);
  const view = new LiveRunView({ context, painter, rendering, compact: jobs > 1 });
  return { view, close: async () => view.close() };
}
