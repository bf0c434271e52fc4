import type { OutputSummary } from "../notebook/output-summary.ts";
import { joinSource } from "../notebook/source.ts";
import { sanitizeText } from "../output/text-sanitizer.ts";
import type { BlockWriter } from "./block-writer.ts";

/** Image types that models take. */
const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"];
/** The representation of a bundle that is shown as text: the first of these that it has. */
const TEXT_TYPES = ["text/markdown", "text/plain", "text/latex", "text/html", "application/json"];

/** One line on an output: what it is and how large. */
export function describeOutput({ outputType, name, value, bytes, lines, mimeTypes }: OutputSummary): string {
  if (outputType === "error") return sanitizeText(`error ${name}: ${value}`).replaceAll("\n", " ").slice(0, 500);
  if (outputType === "stream") return `${name}: ${lines} lines, ${bytes} bytes`;
  const types = Object.entries(mimeTypes ?? {}).map(([mime, size]) => `${sanitizeText(mime)} ${size} bytes`);
  return `${outputType}: ${types.join(", ") || "empty"}`;
}

/** Writes one stored output: its text, cleaned, or its image as a block of its own; an image that is too large is named. */
export function writeOutput(blocks: BlockWriter, output: unknown, bounds: { maxImageBytes: number }): void {
  const { data } = output as { data?: unknown };
  const bundle = typeof data === "object" && data !== null ? (data as Record<string, unknown>) : {};
  blocks.text("[output]\n");
  if (writeImage(blocks, bundle, bounds)) return;
  const clean = sanitizeText(outputText(output as Record<string, unknown>, bundle));
  blocks.bounded(clean === "" || clean.endsWith("\n") ? clean : `${clean}\n`);
}

/** False if the bundle has no image, or has one that is not shown and now named. */
function writeImage(
  blocks: BlockWriter,
  bundle: Record<string, unknown>,
  { maxImageBytes }: { maxImageBytes: number },
) {
  const mime = IMAGE_TYPES.find((type) => type in bundle);
  if (mime === undefined) return false;
  const base64 = joinSource(bundle[mime]).replace(/\s/g, "");
  const size = Buffer.byteLength(base64, "base64");
  if ((maxImageBytes === 0 || size <= maxImageBytes) && blocks.image(base64, mime)) return true;
  blocks.notice(`[${mime}, ${size} bytes, not shown]\n`);
  return false;
}

function outputText(output: Record<string, unknown>, bundle: Record<string, unknown>): string {
  if (output.output_type === "stream") return joinSource(output.text);
  if (output.output_type === "error") {
    const { traceback, ename, evalue } = output;
    return Array.isArray(traceback) && traceback.length > 0 ? traceback.join("\n") : `${ename}: ${evalue}`;
  }
  const mime = TEXT_TYPES.find((type) => type in bundle);
  return mime === undefined ? `[${Object.keys(bundle).join(", ") || "an empty output"}]` : textOf(bundle[mime]);
}

function textOf(value: unknown): string {
  const isText = typeof value === "string" || (Array.isArray(value) && value.every((line) => typeof line === "string"));
  return isText ? joinSource(value) : JSON.stringify(value);
}
