/** Pixels of a picture. */
export interface PictureSize {
  width: number;
  height: number;
}

/** The size that a PNG, GIF, WebP or JPEG says it has, read from its first bytes; undefined for anything else. */
export function readPictureSize(bytes: Uint8Array): PictureSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    if (view.getUint32(0) === 0x89504e47) return { width: view.getUint32(16), height: view.getUint32(20) };
    if (view.getUint32(0) === 0x47494638) return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
    if (view.getUint16(0) === 0xffd8) return readJpegSize(view);
    if (view.getUint32(0) === 0x52494646 && view.getUint32(8) === 0x57454250) return readWebpSize(view);
  } catch {
    // The bytes end before the size does.
  }
  return undefined;
}

/** JPEG (ITU-T T.81, B.2.2): the size is in the first start-of-frame segment. */
function readJpegSize(view: DataView): PictureSize | undefined {
  for (let at = 2; ; at += 2 + view.getUint16(at + 2)) {
    const marker = view.getUint16(at);
    if (marker < 0xff01) return undefined;
    const frame = marker >= 0xffc0 && marker <= 0xffcf && marker !== 0xffc4 && marker !== 0xffc8 && marker !== 0xffcc;
    if (frame) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
  }
}

/** WebP (RFC 9649, 2.5 to 2.7): lossy, lossless and extended files each say it in their own way. */
function readWebpSize(view: DataView): PictureSize | undefined {
  const kind = view.getUint32(12);
  if (kind === 0x56503820)
    return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  if (kind === 0x5650384c) {
    const bits = view.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
  }
  const read24 = (at: number) => view.getUint16(at, true) + (view.getUint8(at + 2) << 16);
  return kind === 0x56503858 ? { width: read24(24) + 1, height: read24(27) + 1 } : undefined;
}
