import type { Output } from "../output/model.ts";
import { renderJsonTree } from "./json-tree.ts";
import { renderLatex } from "./latex.ts";
import { renderMarkdown } from "./markdown.ts";
import { renderPicture } from "./picture/describe.ts";
import type { RenderContext, Renderer } from "./renderer.ts";
import { renderStatus } from "./status.ts";

/** Draws an `image` output: base64 as `data`, or facts without bytes. */
export function renderImage(output: Output, context: RenderContext): string[] {
  const mimeType = output.mimeType ?? "image/png";
  const picture = typeof output.data === "string" ? { data: output.data, mimeType } : undefined;
  return renderPicture(picture, { mimeType }, context);
}

/** The renderers of the output types that every Nuthatch knows; a plugin's own of the same type comes instead. */
export const BUILT_IN_RENDERERS: readonly Renderer[] = [
  { type: "json", render: (output, context) => renderJsonTree(output.data, context) },
  { type: "image", render: renderImage },
  { type: "status", render: (output, context) => renderStatus(output.data, context) },
  { type: "markdown", render: (output, context) => renderMarkdown(String(output.data), context) },
  { type: "latex", render: (output, context) => renderLatex(String(output.data), context.width) },
];
