import { inflateSync } from "node:zlib";

/** The pixels of a PNG: `channels` bytes each, or one byte that is an index into `palette` (RGB). */
export interface PngPixels {
  width: number;
  height: number;
  channels: number;
  data: Uint8Array;
  palette?: Uint8Array;
}

const CHANNELS: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/** Decodes a PNG of 8 bits a sample that is not interlaced, the form that Bun.Image writes (PNG 3rd edition, 5, 7 and 9). */
export function decodePng(bytes: Uint8Array): PngPixels {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const width = view.getUint32(16);
  const height = view.getUint32(20);
  const channels = CHANNELS[bytes[25] as number];
  if (bytes[24] !== 8 || channels === undefined || bytes[28] !== 0) throw new RangeError("unsupported form of PNG");
  const parts: Uint8Array[] = [];
  let palette: Uint8Array | undefined;
  for (let at = 8; at + 12 <= bytes.length; at += 12 + view.getUint32(at)) {
    const name = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    const content = bytes.subarray(at + 8, at + 8 + view.getUint32(at));
    if (name === "IDAT") parts.push(content);
    if (name === "PLTE") palette = content;
  }
  const data = unfilter(inflateSync(Buffer.concat(parts)), width * channels, height, channels);
  return { width, height, channels, data, ...(palette !== undefined && { palette }) };
}

/** Undoes the filter of each row (PNG, 9.2): a byte was written as its difference from a neighbour. */
function unfilter(raw: Uint8Array, stride: number, height: number, channels: number): Uint8Array {
  const data = new Uint8Array(stride * height);
  for (let row = 0; row < height; row++) {
    const filter = raw[row * (stride + 1)] as number;
    const source = raw.subarray(row * (stride + 1) + 1, (row + 1) * (stride + 1));
    const start = row * stride;
    for (let at = 0; at < stride; at++) {
      const left = at < channels ? 0 : (data[start + at - channels] as number);
      const up = row === 0 ? 0 : (data[start + at - stride] as number);
      const corner = row === 0 || at < channels ? 0 : (data[start + at - stride - channels] as number);
      data[start + at] = (source[at] as number) + predict(filter, left, up, corner);
    }
  }
  return data;
}

function predict(filter: number, left: number, up: number, corner: number): number {
  if (filter === 0) return 0;
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  const estimate = left + up - corner;
  const [toLeft, toUp, toCorner] = [Math.abs(estimate - left), Math.abs(estimate - up), Math.abs(estimate - corner)];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}
