import { closeSync, constants, fchmodSync, fsyncSync, ftruncateSync, openSync, rmSync, writeSync } from "node:fs";
import { slicePieces, writePieces } from "./file-writing.ts";
import type { LockedFile } from "./locked-file.ts";
import { notRestored } from "./notebook-errors.ts";
import { totalLength } from "./revision.ts";
import { makeSafetyCopy } from "./safety-copy.ts";

/**
 * Writes new content into a locked file where no other file can take its place: it has further hard links, or its folder takes
 * no new file. A safety copy of the `old` bytes stands by until the end. Throws what the system does, with the file restored.
 */
export async function writeInPlace(file: LockedFile, old: Buffer, pieces: readonly Buffer[]): Promise<void> {
  const { descriptor, close } = openForWriting(file);
  try {
    const copy = await makeSafetyCopy(file.path, old);
    try {
      await overwrite(descriptor, old.length, pieces);
    } catch (error) {
      restore(file, descriptor, old, copy, error);
      throw error;
    }
    rmSync(copy, { force: true });
  } finally {
    close();
  }
}

/**
 * A NUL at the start marks the file as unfinished until its first byte is put there at last. What lies behind the old end
 * comes before the rest, since only that needs room on the disk.
 */
async function overwrite(descriptor: number, oldLength: number, pieces: readonly Buffer[]): Promise<void> {
  const length = totalLength(pieces);
  const kept = Math.min(length, oldLength);
  await writePieces(descriptor, [Buffer.alloc(1)], 0);
  if (length > oldLength) await writePieces(descriptor, slicePieces(pieces, oldLength, length), oldLength);
  await writePieces(descriptor, slicePieces(pieces, 1, kept), 1);
  ftruncateSync(descriptor, length);
  await writePieces(descriptor, slicePieces(pieces, 0, 1), 0);
}

function restore(file: LockedFile, descriptor: number, old: Buffer, copy: string, cause: unknown): void {
  try {
    for (let at = 0; at < old.length; ) at += writeSync(descriptor, old, at, old.length - at, at);
    ftruncateSync(descriptor, old.length);
    fsyncSync(descriptor);
  } catch {
    throw notRestored(file.shown, copy, cause);
  }
  rmSync(copy, { force: true });
}

/** A read-only file of this user's own is made writable for the while. */
function openForWriting(file: LockedFile): { descriptor: number; close(): void } {
  if (file.writable) return { descriptor: file.descriptor, close: () => undefined };
  const mode = Number(file.stat.mode & 0o7777n);
  fchmodSync(file.descriptor, mode | 0o200);
  try {
    const descriptor = openSync(file.path, constants.O_RDWR);
    return {
      descriptor,
      close: () => {
        fchmodSync(descriptor, mode);
        closeSync(descriptor);
      },
    };
  } catch (error) {
    fchmodSync(file.descriptor, mode);
    throw error;
  }
}
