import { errorCode, errorMessage } from "../errors.ts";

/** What a picture that a model is shown may have: bytes, and pixels of its longer side. 0 is no limit. */
export interface ImageLimits {
  maxBytes: number;
  maxPixels: number;
}

/** A picture's size, and what it has to become to be within the limits; `shown` is undefined when nothing is shown. */
export interface FittedImage {
  width: number | null;
  height: number | null;
  shown?: { bytes: Uint8Array; mimeType: string; width: number; height: number };
  /** Why it is not shown: it cannot be read, or cannot be made small enough. */
  problem?: string;
}

const SHOWABLE = new Set(["png", "jpeg", "gif", "webp"]);
/** A picture is made smaller by halves until it fits; after that it is not worth looking at. */
const MAX_HALVINGS = 5;

/**
 * Fits a picture to the limits: whole and as it is when it is within them, else smaller, in its own format if that is small
 * enough and as WebP if not. One that cannot be decoded is never shown: a model's host refuses the whole call for it.
 */
export async function fitImage(bytes: Uint8Array, limits: ImageLimits): Promise<FittedImage> {
  let size: { width: number | null; height: number | null } = { width: null, height: null };
  try {
    const { width, height, format } = await new Bun.Image(bytes).metadata();
    size = { width, height };
    const fits = within(bytes.length, limits.maxBytes) && within(Math.max(width, height), limits.maxPixels);
    if (fits && SHOWABLE.has(format)) {
      await new Bun.Image(bytes).resize(1, 1).bytes();
      return { ...size, shown: { bytes, mimeType: `image/${format}`, width, height } };
    }
    const shown = await shrink(bytes, Math.max(width, height), limits);
    return shown === undefined ? { ...size, problem: "too large to be shown" } : { ...size, shown };
  } catch (error) {
    return { ...size, problem: describeProblem(error) };
  }
}

async function shrink(bytes: Uint8Array, longest: number, limits: ImageLimits): Promise<FittedImage["shown"]> {
  let side = limits.maxPixels === 0 ? longest : Math.min(longest, limits.maxPixels);
  for (let halving = 0; halving <= MAX_HALVINGS && side >= 1; halving++, side = Math.floor(side / 2)) {
    const resize = () => new Bun.Image(bytes).resize(side, side, { fit: "inside", withoutEnlargement: true });
    for (const image of [resize(), resize().webp({ quality: 80 })]) {
      const smaller = await image.bytes();
      if (!within(smaller.length, limits.maxBytes)) continue;
      const { width, height, format } = await new Bun.Image(smaller).metadata();
      if (SHOWABLE.has(format)) return { bytes: smaller, mimeType: `image/${format}`, width, height };
    }
  }
  return undefined;
}

function within(value: number, limit: number): boolean {
  return limit === 0 || value <= limit;
}

function describeProblem(error: unknown): string {
  if (errorCode(error) === "ERR_IMAGE_TOO_MANY_PIXELS") return "too many pixels to be shown";
  if (errorCode(error)?.startsWith("ERR_IMAGE")) return "not a picture that can be read";
  return errorMessage(error);
}
