import { closeSync, constants, fchmodSync, openSync, rmSync } from "node:fs";
import { overwrite } from "./file-writing.ts";
import type { LockedFile } from "./locked-file.ts";
import { notRestored } from "./notebook-errors.ts";
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
      await restore(file, descriptor, old, copy, error);
      throw error;
    }
    rmSync(copy, { force: true });
  } finally {
    close();
  }
}

async function restore(file: LockedFile, descriptor: number, old: Buffer, copy: string, cause: unknown): Promise<void> {
  try {
    await overwrite(descriptor, old.length, [old]);
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
