import { errorMessage } from "../errors.ts";
import type { Artifact } from "./artifact-index.ts";
import { type FittedImage, fitImage, type ImageLimits } from "./fit-image.ts";
import type { Content, Output, OutputFile } from "./model.ts";
import { formatBytes } from "./truncation-notice.ts";

/** How many pictures of one call a model is shown; the others are named. */
export const MAX_SHOWN_IMAGES = 5;

/** One picture of a call; `bytes` and size are those of the original, which the artifact holds. */
export interface KeptImage {
  mimeType: string;
  width: number | null;
  height: number | null;
  bytes: number;
  artifactId: string | null;
}

/** What outputs come to at the end of a call: blocks for a model, facts for programs, lines that say what is kept where. */
export interface KeptOutputs {
  blocks: Content[];
  images: KeptImage[];
  notices: string[];
}

/** Where artifacts go, and how large a picture may be. `save` may throw; what cannot be saved is shown and told all the same. */
export interface KeepOptions {
  limits: ImageLimits;
  save(bytes: Uint8Array | string, mimeType: string): Artifact;
}

/**
 * Keeps the pictures and files among the outputs of a call as artifacts. The last {@link MAX_SHOWN_IMAGES} pictures become
 * blocks, made smaller where the limits want it; a notice names every one that is not shown as it is.
 */
export async function keepOutputs(outputs: readonly Output[], options: KeepOptions): Promise<KeptOutputs> {
  const kept: KeptOutputs = { blocks: [], images: [], notices: [] };
  const pictures = outputs.filter((output) => output.type === "image" && typeof output.data === "string");
  for (const output of outputs) {
    if (output.file !== undefined) kept.notices.push(keepFile(output.file, output.type, options));
  }
  for (const [index, picture] of pictures.entries()) {
    await keepImage(picture, index >= pictures.length - MAX_SHOWN_IMAGES, options, kept);
  }
  return kept;
}

async function keepImage(picture: Output, isShown: boolean, options: KeepOptions, kept: KeptOutputs): Promise<void> {
  const bytes = Buffer.from(picture.data as string, "base64");
  const mimeType = picture.mimeType ?? "image/png";
  const fitted: FittedImage = isShown ? await fitImage(bytes, options.limits) : await readSize(bytes);
  const saved = trySave(() => options.save(bytes, mimeType));
  const { width, height, shown, problem } = fitted;
  kept.images.push({ mimeType, width, height, bytes: bytes.length, artifactId: saved.id });
  if (shown !== undefined) {
    kept.blocks.push({ type: "image", data: Buffer.from(shown.bytes).toString("base64"), mimeType: shown.mimeType });
  }
  if (shown?.bytes === bytes) return;
  const size = width === null ? "" : `, ${width} x ${height}`;
  const state = shown ? `shown as ${shown.width} x ${shown.height}` : (problem ?? "not shown, because there are more");
  kept.notices.push(`[${mimeType}${size}, ${formatBytes(bytes.length)}: ${state}. ${saved.text}]`);
}

async function readSize(bytes: Uint8Array): Promise<FittedImage> {
  try {
    const { width, height } = await new Bun.Image(bytes).metadata();
    return { width, height };
  } catch {
    return { width: null, height: null };
  }
}

function keepFile(file: OutputFile, type: string, options: KeepOptions): string {
  const bytes = file.base64 === true ? Buffer.from(file.content, "base64") : Buffer.from(file.content);
  const saved = trySave(() => options.save(bytes, file.mimeType));
  return `[${type}, ${file.mimeType}, ${formatBytes(bytes.length)}. ${saved.text}]`;
}

function trySave(save: () => Artifact): { id: string | null; text: string } {
  try {
    const { id } = save();
    return { id, text: `All of it: artifact://${id} (nuthatch artifact ${id})` };
  } catch (error) {
    return { id: null, text: `It could not be saved: ${errorMessage(error)}` };
  }
}
