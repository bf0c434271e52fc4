import { readPictureSize } from "../../output/picture-size.ts";
import { formatBytes } from "../../output/truncation-notice.ts";
import { cleanName } from "../clean.ts";
import type { Picture, RenderContext } from "../renderer.ts";
import { wrapWords } from "../text.ts";

/** What is known of a picture beside its bytes. */
export interface PictureFacts {
  mimeType: string;
  width?: number | null;
  height?: number | null;
  bytes?: number;
  artifactId?: string | null;
}

/** Base64 that is read to find a picture's size; a JPEG may carry a long profile before it. */
const HEAD = 400_000;

/** Bytes; a kept picture that is larger is only named. */
const LARGEST_KEPT = 20_000_000;

/** A picture as the terminal can show it, and below it a line that names it and where the whole of it is. */
export function renderPicture(picture: Picture | undefined, facts: PictureFacts, context: RenderContext): string[] {
  const lines = drawPicture(picture, facts, context) ?? [];
  return [...lines, ...describePicture(picture, facts, context)];
}

function drawPicture(known: Picture | undefined, facts: PictureFacts, context: RenderContext): string[] | undefined {
  if (context.picture === undefined) return undefined;
  const { artifactId: id, mimeType, bytes = 0 } = facts;
  const kept = known === undefined && id != null && bytes <= LARGEST_KEPT;
  const picture = kept ? context.artifactPicture?.(id, mimeType) : known;
  return picture && context.picture(picture, context.width);
}

function describePicture(picture: Picture | undefined, facts: PictureFacts, context: RenderContext): string[] {
  const seen = measure(picture);
  const [width, height] = [facts.width ?? seen.width, facts.height ?? seen.height];
  const size = width && height ? `${width}×${height}` : "";
  const length = facts.bytes ?? seen.bytes;
  const bytes = length === undefined ? "" : formatBytes(length);
  const text = [facts.mimeType, size, bytes, placeOf(picture, facts, context) ?? ""].filter((part) => part !== "");
  return wrapWords(context.theme.style("muted", cleanName(text.join(" "))), context.width);
}

function placeOf(
  picture: Picture | undefined,
  { artifactId: id }: PictureFacts,
  context: RenderContext,
): string | undefined {
  if (id != null) return context.artifactPath?.(id) ?? `artifact://${id}`;
  if (picture === undefined) return undefined;
  return context.keepFile?.({ content: picture.data, mimeType: picture.mimeType, base64: true });
}

function measure(picture: Picture | undefined): { width?: number; height?: number; bytes?: number } {
  if (picture === undefined) return {};
  const { data } = picture;
  const size = readPictureSize(Buffer.from(data.slice(0, HEAD), "base64"));
  return { ...size, bytes: Buffer.byteLength(data, "base64") };
}
