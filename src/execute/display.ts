import type { MimeBundle, MimeHandler, Output } from "../output/model.ts";

/** What a MIME bundle came to: structured outputs, and at most one text. */
export interface Display {
  outputs: Output[];
  text: string | undefined;
  diagnostics: { handler: string; message: string }[];
}

const IMAGE = /^image\/(?:png|jpeg|gif|webp)$/;

/** Gives each representation of a bundle to its handlers; of those that give text the highest rank wins, then `text/plain`. */
export function captureDisplay(
  bundle: MimeBundle,
  metadata: Record<string, unknown>,
  handlers: readonly MimeHandler[],
): Display {
  const display: Display = { outputs: [], text: undefined, diagnostics: [] };
  let best = Number.NEGATIVE_INFINITY;
  for (const handler of handlers) {
    if (!Object.hasOwn(bundle, handler.mime)) continue;
    const data = bundle[handler.mime];
    const context = { mime: handler.mime, bundle, metadata };
    try {
      const output = handler.capture?.(data, context);
      if (output !== undefined) display.outputs.push({ mimeType: handler.mime, ...output });
      const text = handler.text?.(data, context);
      if (text !== undefined && (handler.rank ?? 50) > best) {
        best = handler.rank ?? 50;
        display.text = text;
      }
    } catch (error) {
      display.diagnostics.push({ handler: handler.mime, message: String(error) });
    }
  }
  captureImages(bundle, display);
  if (display.text === undefined && typeof bundle["text/plain"] === "string") display.text = bundle["text/plain"];
  return display;
}

function captureImages(bundle: MimeBundle, display: Display): void {
  if (display.outputs.some((output) => output.type === "image")) return;
  const [mime, data] = Object.entries(bundle).find(([name]) => IMAGE.test(name)) ?? [];
  if (typeof data === "string") display.outputs.push({ type: "image", mimeType: mime as string, data });
}
