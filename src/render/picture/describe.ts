import { cleanName } from "../clean.ts";
import type { Picture, RenderContext } from "../renderer.ts";
import { truncate } from "../text.ts";

/** What is known of a picture beside its bytes. */
export interface PictureFacts {
  mimeType: string;
  width?: number;
  height?: number;
  bytes?: number;
  artifactId?: string;
}

/** A picture as the terminal can show it, and below it a line that names it and where the whole of it is. */
export function renderImage(picture: Picture | undefined, facts: PictureFacts, context: RenderContext): string[] {
  const lines = picture === undefined ? [] : (context.picture?.(picture, context.width) ?? []);
  return [...lines, ...describePicture(facts, context)];
}

function describePicture(facts: PictureFacts, { theme, width, artifactPath }: RenderContext): string[] {
  const size = facts.width && facts.height ? `${facts.width}×${facts.height}` : "";
  const bytes = facts.bytes === undefined ? "" : formatBytes(facts.bytes);
  const head = [cleanName(facts.mimeType), size, bytes].filter((part) => part !== "").join(" ");
  const id = facts.artifactId;
  const place = id === undefined ? undefined : (artifactPath?.(id) ?? `artifact://${id}`);
  const lines =
    place === undefined ? [head] : `${head} ${place}`.length <= width ? [`${head} ${place}`] : [head, place];
  return lines.map((line) => theme.style("muted", truncate(cleanName(line), width)));
}

/** A number of bytes for people, in powers of 1000. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const power = Math.min(3, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** power).toFixed(1)} ${["B", "kB", "MB", "GB"][power]}`;
}
