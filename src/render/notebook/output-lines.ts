import type { MimeRegistry } from "../../output/mime-registry.ts";
import type { MimeBundle, Output } from "../../output/model.ts";
import { cleanName } from "../clean.ts";
import type { CellSection } from "../code-cell.ts";
import { type Bounds, excerpt, firstLines } from "../excerpt.ts";
import { renderJsonTree } from "../json-tree.ts";
import { isFormula, renderLatex } from "../latex.ts";
import { PREVIEW_LIMITS } from "../limits.ts";
import { renderMarkdown } from "../markdown.ts";
import type { RenderContext } from "../renderer.ts";
import type { RendererRegistry } from "../renderer-registry.ts";
import { truncate, wrapColumns } from "../text.ts";
import { readStoredOutputs, type StoredOutput, textOf } from "./stored-output.ts";
import { streamText } from "./stream-text.ts";

/** What turns the outputs of a file into something to see: the handlers of MIME types, and the renderers of what they capture. */
export interface OutputRendering {
  mime: MimeRegistry;
  renderers: RendererRegistry;
}

const PICTURES = ["image", "svg"];
const BUILT_IN_TYPES = ["chart", "table", "markdown", "latex", "json", "status"];
/** Longer HTML would take long to convert. */
const LONGEST_TABLE = 60_000;
/** Plain texts that only stand in for a picture. */
const PLACEHOLDER = /^<(?:Figure size|matplotlib\.|AxesSubplot|Axes|PIL\.|IPython\.core\.display)[^\n]*>$/;

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

/**
 * The representation that says most to a person: a picture that the terminal shows, then what a plugin draws, then text. A
 * picture that cannot be shown is named below the others.
 */
function drawBundle(
  { data, metadata }: StoredOutput & { kind: "bundle" },
  rendering: OutputRendering,
  context: RenderContext,
): string[] {
  const { mime, renderers } = rendering;
  const { text, textMime, outputs } = mime.capture(data, metadata);
  const draw = (output: Output) => [...renderers.render(output, context), ...drawFile(output, context)];
  const pictures = outputs.filter(({ type }) => PICTURES.includes(type)).slice(0, 1);
  const named = pictures.flatMap(draw);
  if (named.length > 1 && pictures[0]?.type === "image") return named;
  const drawn = chooseOutput(outputs, textMime, renderers);
  if (drawn !== undefined) return [...draw(drawn), ...named];
  const table = textMime === "text/plain" ? tableText(data, mime) : undefined;
  if (table !== undefined) return [...renderMarkdown(table, context), ...named];
  const replaced =
    text === undefined || /^image\//.test(textMime ?? "") || (pictures.length > 0 && PLACEHOLDER.test(text.trim()));
  if (!replaced) return [...drawMime(text, textMime, context), ...named];
  return pictures.length > 0 ? named : drawUnknown(data, outputs, context);
}

/** A plugin's own type comes before those that are built in; a formula only where the whole output is one. */
function chooseOutput(
  outputs: Output[],
  textMime: string | undefined,
  renderers: RendererRegistry,
): Output | undefined {
  const rank = ({ type }: Output) => BUILT_IN_TYPES.indexOf(type);
  return outputs
    .filter(({ type }) => renderers.has(type) && !PICTURES.includes(type))
    .filter(({ type, data }) => type !== "latex" || textMime === "text/latex" || isFormula(textOf(data)))
    .toSorted((left, right) => rank(left) - rank(right))[0];
}

/** A table of HTML as Markdown: its columns can be fitted to the terminal, those of its plain text cannot. */
function tableText(data: MimeBundle, mime: MimeRegistry): string | undefined {
  const html = textOf(data["text/html"]);
  if (html.length > LONGEST_TABLE || !/<table\b/i.test(html)) return undefined;
  return mime.capture({ "text/html": html }).text;
}

function drawFile({ file }: Output, { theme, width, keepFile }: RenderContext): string[] {
  const path = file === undefined ? undefined : keepFile?.(file);
  return path === undefined ? [] : wrapColumns(theme.style("muted", cleanName(path)), width);
}

function drawMime(text: string, mime: string | undefined, context: RenderContext): string[] {
  if (mime === "text/markdown" || mime === "text/html") return renderMarkdown(text, context);
  if (mime === "text/latex") return renderLatex(text, context.width);
  return text === "" ? [] : drawText(text, context);
}

/** A bundle that nothing makes text of: what was captured as a tree, else the names of its types. */
function drawUnknown(data: Record<string, unknown>, outputs: Output[], context: RenderContext): string[] {
  const [first] = outputs;
  if (first !== undefined) return renderJsonTree(first.data, context);
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
