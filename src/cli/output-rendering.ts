import { MimeRegistry } from "../output/mime-registry.ts";
import { BUILT_IN_RENDERERS } from "../render/built-in-renderers.ts";
import type { OutputRendering } from "../render/notebook/output-lines.ts";
import { RendererRegistry } from "../render/renderer-registry.ts";

/** The handlers and renderers that turn outputs into something to see. */
export function loadOutputRendering(): OutputRendering {
  const image = (mime: string) => ({ mime, capture: (data: unknown) => ({ type: "image", data }) });
  const mime = new MimeRegistry([
    ...["image/png", "image/jpeg", "image/gif", "image/webp"].map(image),
    { mime: "application/json", capture: (data: unknown) => ({ type: "json", data }) },
    { mime: "text/markdown", rank: 80, text: String },
    { mime: "text/latex", rank: 50, text: String },
  ]);
  return { mime, renderers: new RendererRegistry(BUILT_IN_RENDERERS) };
}
