import { closeSync, fsync, fsyncSync, openSync, writev } from "node:fs";
import { promisify } from "node:util";

/** The system takes at most 1,024 pieces in one call. */
const PIECES_A_CALL = 512;
const writeVector = promisify(writev);
const sync = promisify(fsync);

/** Writes all pieces from a position of an open file on, and returns when they are on the disk. */
export async function writePieces(descriptor: number, pieces: readonly Buffer[], position = 0): Promise<void> {
  let rest = pieces.filter((piece) => piece.length > 0);
  let at = position;
  while (rest.length > 0) {
    const { bytesWritten } = await writeVector(descriptor, rest.slice(0, PIECES_A_CALL), at);
    at += bytesWritten;
    rest = slicePieces(rest, bytesWritten, Number.POSITIVE_INFINITY);
  }
  await sync(descriptor);
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
