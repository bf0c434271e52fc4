import { cleanName } from "../clean.ts";
import { type CodeCell, FRAME_COLUMNS, renderCodeCell } from "../code-cell.ts";
import { cellLanguage } from "../highlight.ts";
import { PREVIEW_LIMITS } from "../limits.ts";
import { renderMarkdown } from "../markdown.ts";
import type { Picture, RenderContext } from "../renderer.ts";
import { truncate } from "../text.ts";
import { type OutputRendering, renderOutputs } from "./output-lines.ts";
import { textOf } from "./stored-output.ts";

/** A cell as it is to be shown. `outputs` are in nbformat's form. */
export interface ShownCell {
  type: string;
  source: string;
  executionCount: number | null;
  outputs: readonly unknown[];
  /** Pictures that Markdown refers to, as nbformat stores them: MIME bundles by name. */
  attachments?: Record<string, unknown>;
}

/** A notebook as it is to be shown; cells are asked for one by one. */
export interface ShownNotebook {
  name: string;
  /** Of the kernel, for people. */
  kernel?: string;
  language?: string;
  cellCount: number;
  cells: Iterable<ShownCell>;
}

/** Waits for pictures that are being decoded; see PicturePainter. */
export interface PictureWaiter {
  readonly pending: boolean;
  settle(): Promise<void>;
}

/** The lines of a whole notebook, a block at a time, so that the first are there at once and nobody holds all of them. */
export async function* renderNotebook(
  notebook: ShownNotebook,
  rendering: OutputRendering,
  context: RenderContext,
  pictures?: PictureWaiter,
): AsyncGenerator<string[]> {
  yield drawHead(notebook, context);
  let index = 0;
  for (const cell of notebook.cells) {
    const draw = () => ["", ...drawCell(cell, index, notebook.language, rendering, context)];
    let lines = draw();
    if (pictures?.pending) {
      await pictures.settle();
      lines = draw();
    }
    yield lines;
    index++;
  }
}

function drawHead({ name, kernel, cellCount }: ShownNotebook, { theme, width }: RenderContext): string[] {
  const facts = [`${cellCount} cell${cellCount === 1 ? "" : "s"}`, cleanName(kernel ?? "")].filter(
    (fact) => fact !== "",
  );
  return [truncate(`${theme.style("accent", cleanName(name))} ${theme.style("muted", facts.join(" · "))}`, width)];
}

function drawCell(
  cell: ShownCell,
  index: number,
  language: string | undefined,
  rendering: OutputRendering,
  context: RenderContext,
): string[] {
  if (cell.type === "markdown") return drawMarkdown(cell, context);
  const note = `cell ${index}`;
  const code: CodeCell = { code: cell.source, note, maxLines: PREVIEW_LIMITS.NOTEBOOK_CODE_LINES };
  if (cell.type !== "code") return renderCodeCell({ ...code, title: cell.type || "untyped" }, context);
  const sections = renderOutputs(cell.outputs, rendering, { ...context, width: context.width - FRAME_COLUMNS });
  const known = cellLanguage(cell.source, language);
  return renderCodeCell(
    { ...code, title: `[${cell.executionCount ?? " "}]`, sections, ...(known && { language: known }) },
    context,
  );
}

function drawMarkdown(cell: ShownCell, context: RenderContext): string[] {
  const findPicture = (source: string) => findAttachment(source, cell.attachments);
  const lines = renderMarkdown(cell.source, context, { findPicture });
  return lines.length > 0 ? lines : [context.theme.style("muted", "(empty)")];
}

/** The picture of an `attachment:` address (nbformat 4, "Cell attachments") or of a `data:` address. */
function findAttachment(source: string, attachments: Record<string, unknown> | undefined): Picture | undefined {
  const embedded = source.match(/^data:(image\/[\w.+-]+);base64,(.+)$/);
  if (embedded !== null) return { mimeType: embedded[1] as string, data: embedded[2] as string };
  const name = source.match(/^attachment:(.+)$/)?.[1];
  const bundle = name === undefined ? undefined : (attachments?.[decode(name)] ?? attachments?.[name]);
  if (typeof bundle !== "object" || bundle === null) return undefined;
  const found = Object.entries(bundle).find(([mime]) => mime.startsWith("image/"));
  return found === undefined ? undefined : { mimeType: found[0], data: textOf(found[1]) };
}

function decode(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
