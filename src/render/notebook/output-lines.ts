import type { MimeRegistry } from "../../output/mime-registry.ts";
import type { Output } from "../../output/model.ts";
import { cleanName } from "../clean.ts";
import type { CellSection } from "../code-cell.ts";
import { type Bounds, excerpt, firstLines } from "../excerpt.ts";
import { renderJsonTree } from "../json-tree.ts";
import { isFormula, renderLatex } from "../latex.ts";
import { PREVIEW_LIMITS } from "../limits.ts";
import { renderMarkdown } from "../markdown.ts";
import type { RenderContext } from "../renderer.ts";
import type { RendererRegistry } from "../renderer-registry.ts";
import { truncate } from "../text.ts";
import { readStoredOutputs, type StoredOutput, textOf } from "./stored-output.ts";
import { streamText } from "./stream-text.ts";

/** What turns the outputs of a file into something to see: the handlers of MIME types, and the renderers of what they capture. */
export interface OutputRendering {
  mime: MimeRegistry;
  renderers: RendererRegistry;
}

/** Plain texts that only stand in for a picture. */
const FIGURE = /^<(?:Figure size|matplotlib\.|AxesSubplot|Axes|PIL\.|IPython\.core\.display)[^\n]*>$/;

/** The sections of a cell's stored outputs, each safe and bounded. */
export function renderOutputs(
  outputs: readonly unknown[],
  rendering: OutputRendering,
  context: RenderContext,
): CellSection[] {
  return readStoredOutputs(outputs).map((output) => ({
    label: labelOf(output),
    lines: bounded(drawOutput(output, rendering, context), context),
  }));
}

function labelOf(output: StoredOutput): string {
  if (output.kind === "stream") return output.name === "stdout" ? "" : cleanName(output.name);
  if (output.kind === "error") return "error";
  if (output.kind === "unknown") return cleanName(`output of type ${output.type || "none"}`);
  return output.count === null ? "" : `[${output.count}]`;
}

function drawOutput(output: StoredOutput, rendering: OutputRendering, context: RenderContext): string[] {
  switch (output.kind) {
    case "stream":
      return drawText(output.text, context);
    case "error":
      return drawText(output.traceback.trim() === "" ? `${output.name}: ${output.value}` : output.traceback, context);
    case "unknown":
      return renderJsonTree(output.value, context);
    case "bundle":
      return drawBundle(output, rendering, context);
  }
}

/** Pictures, trees and what plugins draw come before text, formulas and Markdown before plain text. */
function drawBundle(
  output: StoredOutput & { kind: "bundle" },
  rendering: OutputRendering,
  context: RenderContext,
): string[] {
  const { text, textMime, outputs } = rendering.mime.capture(output.data, output.metadata);
  const drawn = outputs.filter((captured) => captured.type !== "image" && rendering.renderers.has(captured.type));
  if (drawn.length > 0) return drawn.flatMap((captured) => rendering.renderers.render(captured, context));
  const images = outputs.filter((captured) => captured.type === "image");
  const pictures = images.slice(0, 1).flatMap((image) => rendering.renderers.render(image, context));
  const latex = textOf(output.data["text/latex"]);
  if (images.length === 0 && isFormula(latex)) return renderLatex(latex, context.width);
  if (pictures.length > 1 || (pictures.length === 1 && (text === undefined || FIGURE.test(text.trim()))))
    return pictures;
  const words = text === undefined ? drawUnknown(output.data, outputs, context) : drawMime(text, textMime, context);
  return [...words, ...pictures];
}

function drawMime(text: string, mime: string | undefined, context: RenderContext): string[] {
  if (mime === "text/markdown" || mime === "text/html") return renderMarkdown(text, context);
  if (mime === "text/latex") return renderLatex(text, context.width);
  return text === "" ? [] : drawText(text, context);
}

/** A bundle that nothing makes text of: what was captured as a tree, else the names of its types. */
function drawUnknown(data: Record<string, unknown>, outputs: Output[], context: RenderContext): string[] {
  const first = outputs.find((captured) => captured.type !== "image");
  if (first !== undefined) return renderJsonTree(first.data, context);
  if (outputs.length > 0) return [];
  const names = Object.keys(data).map(cleanName).join(", ") || "nothing";
  return [truncate(context.theme.style("muted", `an output of ${names}`), context.width)];
}

function drawText(text: string, context: RenderContext): string[] {
  const clean = streamText(text, context.theme.colors !== "none").replace(/\n$/, "");
  return clean === "" ? [] : excerpt(clean, context.width, boundsOf(context), context.theme);
}

function bounded(lines: string[], context: RenderContext): string[] {
  return firstLines(lines, boundsOf(context).lines * 2, context.theme, context.width);
}

function boundsOf({ expanded }: RenderContext): Bounds {
  return expanded
    ? { lines: PREVIEW_LIMITS.EXPANDED_LINES, characters: PREVIEW_LIMITS.EXPANDED_CHARACTERS }
    : { lines: PREVIEW_LIMITS.NOTEBOOK_LINES, characters: PREVIEW_LIMITS.COLLAPSED_CHARACTERS };
}
