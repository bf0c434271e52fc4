import type { OutputSummary } from "../notebook/output-summary.ts";
import { joinSource } from "../notebook/source.ts";
import { fitImage, type ImageLimits } from "../output/fit-image.ts";
import { sanitizeText } from "../output/text-sanitizer.ts";
import { formatBytes } from "../output/truncation-notice.ts";
import type { BlockWriter } from "./block-writer.ts";

/** Image types that models take. */
const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"];
/** The representation of a bundle that is shown as text: the first of these that it has. */
const TEXT_TYPES = ["text/markdown", "text/plain", "text/latex", "text/html", "application/json"];
const LONGEST_ERROR = 500;

type Bundle = Record<string, unknown>;

/** One line on an output: what it is and how large. */
export function describeOutput({ outputType, name, value, bytes = 0, lines, mimeTypes }: OutputSummary): string {
  if (outputType === "error") {
    return sanitizeText(`error ${name}: ${value}`).replaceAll("\n", " ").slice(0, LONGEST_ERROR);
  }
  if (outputType === "stream") return `${name}: ${lines} ${lines === 1 ? "line" : "lines"}, ${formatBytes(bytes)}`;
  const types = Object.entries(mimeTypes ?? {}).map(([mime, size]) => `${sanitizeText(mime)} ${formatBytes(size)}`);
  return `${outputType}: ${types.join(", ") || "empty"}`;
}

/** Writes one stored output: its image as a block of its own, within the limits, or its text, cleaned. */
export async function writeOutput(blocks: BlockWriter, output: unknown, limits: ImageLimits): Promise<void> {
  const { data } = output as { data?: unknown };
  const bundle = typeof data === "object" && data !== null ? (data as Bundle) : {};
  blocks.text("[output]\n");
  if (await writeImage(blocks, bundle, limits)) return;
  const clean = sanitizeText(outputText(output as Record<string, unknown>, bundle));
  blocks.bounded(clean === "" || clean.endsWith("\n") ? clean : `${clean}\n`);
}

/** False if the bundle has no image, or has one that is not shown, and then named. */
async function writeImage(blocks: BlockWriter, bundle: Bundle, limits: ImageLimits): Promise<boolean> {
  const mime = IMAGE_TYPES.find((type) => type in bundle);
  if (mime === undefined) return false;
  const bytes = Buffer.from(joinSource(bundle[mime]), "base64");
  const { width, height, shown, problem } = blocks.takesImage()
    ? await fitImage(bytes, limits)
    : { width: null, height: null, shown: undefined, problem: "enough images are shown" };
  const size = width === null ? "" : ` ${width}x${height}`;
  const name = `${mime}${size}, ${formatBytes(bytes.length)}`;
  if (shown === undefined) {
    blocks.notice(`[${name}: ${problem}]\n`);
    return false;
  }
  if (shown.width !== width) blocks.notice(`[${name}, shown at ${shown.width}x${shown.height}]\n`);
  blocks.image(Buffer.from(shown.bytes).toString("base64"), shown.mimeType);
  return true;
}

function outputText(output: Record<string, unknown>, bundle: Bundle): string {
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
