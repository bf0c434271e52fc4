import { deflateSync } from "node:zlib";

/** A PNG of 8-bit RGBA, its pixels given by a function; rows are written without a filter. */
export function makePng(width: number, height: number, pixel: (x: number, y: number) => number[]): Uint8Array {
  const raw = Buffer.alloc((width * 4 + 1) * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) raw.set(pixel(x, y), y * (width * 4 + 1) + 1 + x * 4);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 6, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(raw)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** Left half red, right half blue, the last row transparent. */
export function twoColors(width: number, height: number): Uint8Array {
  return makePng(width, height, (x, y) =>
    y === height - 1 ? [0, 0, 0, 0] : x < width / 2 ? [255, 0, 0, 255] : [0, 0, 255, 255],
  );
}

function chunk(name: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name), content]);
  const frame = Buffer.alloc(body.length + 8);
  frame.writeUInt32BE(content.length, 0);
  frame.set(body, 4);
  frame.writeUInt32BE(Bun.hash.crc32(body), body.length + 4);
  return frame;
}
