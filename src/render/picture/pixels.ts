import { decodePng } from "./png.ts";

/** A decoded picture: three bytes a pixel. */
export interface Pixels {
  width: number;
  height: number;
  rgb: Uint8Array;
}

/** A picture of at most 256 colours: one byte a pixel, an index into `palette`, which has three bytes a colour. */
export interface IndexedPixels {
  width: number;
  height: number;
  indices: Uint8Array;
  palette: Uint8Array;
}

/** Pictures with more pixels are not decoded; a small file can claim any size. */
const MOST_PIXELS = 50_000_000;

/** The size of an encoded picture, or undefined for what is no picture that Bun.Image reads (SVG is none). */
export async function measurePicture(
  bytes: Uint8Array,
): Promise<{ width: number; height: number; format: string } | undefined> {
  try {
    return await openPicture(bytes).metadata();
  } catch {
    return undefined;
  }
}

/** A picture as PNG, scaled to the given size. */
export async function encodePng(bytes: Uint8Array, width: number, height: number): Promise<Uint8Array> {
  return openPicture(bytes).resize(width, height).png().bytes();
}

/** The pixels of a picture scaled to the given size; what is transparent becomes white, the paper that plots are drawn for. */
export async function readPixels(bytes: Uint8Array, width: number, height: number): Promise<Pixels> {
  const png = decodePng(await openPicture(bytes).resize(width, height).png({ compressionLevel: 1 }).bytes());
  const rgb = new Uint8Array(png.width * png.height * 3);
  const { data, channels } = png;
  for (let from = 0, to = 0; from < data.length; from += channels) {
    const alpha =
      channels === 4 ? (data[from + 3] as number) / 255 : channels === 2 ? (data[from + 1] as number) / 255 : 1;
    for (let color = 0; color < 3; color++) {
      const value = data[channels < 3 ? from : from + color] as number;
      rgb[to++] = Math.round(value * alpha + 255 * (1 - alpha));
    }
  }
  return { width: png.width, height: png.height, rgb };
}

/** The same picture with at most 256 colours: its own where they are so few, else the nearest ones, dithered. */
export async function reduceColors(pixels: Pixels): Promise<IndexedPixels> {
  const bitmap = openPicture(encodeBmp(pixels));
  const png = decodePng(await bitmap.png({ palette: true, colors: 256, dither: true, compressionLevel: 1 }).bytes());
  if (png.palette === undefined) throw new RangeError("the picture has no palette");
  return { width: png.width, height: png.height, indices: png.data, palette: png.palette };
}

function openPicture(bytes: Uint8Array): Bun.Image {
  return new Bun.Image(bytes, { maxPixels: MOST_PIXELS });
}

/** A BMP (BITMAPINFOHEADER, 24 bits, rows from the bottom up): the one form of raw pixels that Bun.Image reads. */
function encodeBmp({ width, height, rgb }: Pixels): Uint8Array {
  const stride = Math.ceil((width * 3) / 4) * 4;
  const bytes = new Uint8Array(54 + stride * height);
  const view = new DataView(bytes.buffer);
  bytes.set([0x42, 0x4d]);
  view.setUint32(2, bytes.length, true);
  view.setUint32(10, 54, true);
  view.setUint32(14, 40, true);
  view.setInt32(18, width, true);
  view.setInt32(22, height, true);
  view.setUint16(26, 1, true);
  view.setUint16(28, 24, true);
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const from = (row * width + column) * 3;
      const to = 54 + (height - 1 - row) * stride + column * 3;
      bytes[to] = rgb[from + 2] as number;
      bytes[to + 1] = rgb[from + 1] as number;
      bytes[to + 2] = rgb[from] as number;
    }
  }
  return bytes;
}
