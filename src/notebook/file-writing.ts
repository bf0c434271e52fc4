import { closeSync, fsync, fsyncSync, ftruncateSync, openSync, writev, writevSync } from "node:fs";
import { totalLength } from "./revision.ts";

/** The system takes at most 1,024 pieces in one call. */
const PIECES_A_CALL = 512;
/** This much is written at once; what is more is left to another thread, so that kernels are still heard meanwhile. */
const SMALL = 1 << 20;

/** Writes all pieces from a position of an open file on, and returns when they are on the disk. */
export async function writePieces(descriptor: number, pieces: readonly Buffer[], position = 0): Promise<void> {
  await writeUnsynced(descriptor, pieces, position);
  if (totalLength(pieces) < SMALL) fsyncSync(descriptor);
  else await syncAside(descriptor);
}

/** Writes all pieces; every program sees them then, but a loss of power may still take them. */
export async function writeUnsynced(descriptor: number, pieces: readonly Buffer[], position = 0): Promise<void> {
  const isSmall = totalLength(pieces) < SMALL;
  let rest = pieces.filter((piece) => piece.length > 0);
  let at = position;
  while (rest.length > 0) {
    const group = rest.slice(0, PIECES_A_CALL);
    const written = isSmall ? writevSync(descriptor, group, at) : await writeAside(descriptor, group, at);
    at += written;
    rest = slicePieces(rest, written, Number.POSITIVE_INFINITY);
  }
}

/**
 * Puts new content over the whole of an open file of `oldLength` bytes. A NUL at the start marks the file as unfinished until
 * its first byte is put there at last. What lies behind the old end comes before the rest, since only that needs room.
 */
export async function overwrite(descriptor: number, oldLength: number, pieces: readonly Buffer[]): Promise<void> {
  const length = totalLength(pieces);
  await writePieces(descriptor, [Buffer.alloc(1)], 0);
  if (length > oldLength) await writePieces(descriptor, slicePieces(pieces, oldLength, length), oldLength);
  await writePieces(descriptor, slicePieces(pieces, 1, Math.min(length, oldLength)), 1);
  ftruncateSync(descriptor, length);
  await writePieces(descriptor, slicePieces(pieces, 0, 1), 0);
}

function writeAside(descriptor: number, pieces: readonly Buffer[], position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    writev(descriptor, pieces, position, (error, written) => (error ? reject(error) : resolve(written)));
  });
}

function syncAside(descriptor: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fsync(descriptor, (error) => (error ? reject(error) : resolve()));
  });
}

/** The pieces of the bytes from `start` to `end` of all pieces together. */
export function slicePieces(pieces: readonly Buffer[], start: number, end: number): Buffer[] {
  const found: Buffer[] = [];
  let at = 0;
  for (const piece of pieces) {
    const from = Math.max(0, start - at);
    const to = Math.min(piece.length, end - at);
    if (from < to) found.push(piece.subarray(from, to));
    at += piece.length;
  }
  return found;
}

/** Makes a folder's new names survive a loss of power, where the file system can. */
export function syncFolder(folder: string): void {
  try {
    const descriptor = openSync(folder, "r");
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // Some file systems cannot; the file itself is safe.
  }
}
