import { renderNotebook } from "../render/notebook/notebook-lines.ts";
import { EXIT, type Invocation } from "./command.ts";
import { openTerminal } from "./open-terminal.ts";
import { loadOutputRendering } from "./output-rendering.ts";
import { findPager, PagedOutput } from "./pager.ts";
import { createPainter } from "./pictures.ts";
import { readShownNotebook } from "./read-shown-notebook.ts";
import { createRenderContext } from "./render-context.ts";
import { writeJson } from "./standard-output.ts";

/** `nuthatch show <notebook>`: the whole notebook, in a pager where it is long; with `--json` its cells as data. */
export async function runShow(invocation: Invocation): Promise<number> {
  const { environment, positionals, cwd, switches } = invocation;
  const notebook = await readShownNotebook(positionals[0] as string, cwd);
  const rendering = await loadOutputRendering(invocation);
  if (invocation.json) {
    const { describeNotebook } = await import("./describe-notebook.ts");
    writeJson(describeNotebook(notebook, rendering));
    return EXIT.done;
  }
  const terminal = await openTerminal(invocation);
  const pager = switches.has("no-pager") ? undefined : findPager(terminal, environment);
  const painter = createPainter(terminal, pager !== undefined);
  const out = new PagedOutput(pager, terminal.rows, environment);
  const context = createRenderContext(terminal, painter, invocation);
  for await (const lines of renderNotebook(notebook, rendering, context, painter)) {
    if (!(await out.write(lines))) break;
    painter.clear();
  }
  await out.close();
  return EXIT.done;
}
