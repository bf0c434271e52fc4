// A locked file is open and holds the lock from `lockNotebook` until its holder calls `close`, or dies.
import { type BigIntStats, closeSync, constants, fstatSync, openSync, readSync, statSync } from "node:fs";
import { errorCode } from "../errors.ts";
import { lockHolder, tryLock } from "../lock.ts";
import { invalidNotebook, notebookLocked, notebookNotFound, readFailed } from "./notebook-errors.ts";

/** A notebook's file while this process alone may change it. */
export interface LockedFile extends Disposable {
  readonly path: string;
  /** The path as the caller wrote it, for messages. */
  readonly shown: string;
  readonly descriptor: number;
  /** The file as it was when the lock was got. */
  readonly stat: BigIntStats;
  /** Whether this user may write into it. */
  readonly writable: boolean;
}

const WAIT_SECONDS = 10;
const LARGEST_FILE = 2n ** 31n - 1n;

/**
 * Locks a notebook against every other writer of the host, by a `flock` on the file itself, checked again once it is held: a
 * writer before us may have put a new file in its place. Throws `notebook_locked` after 10 seconds.
 */
export async function lockNotebook(path: string, shown: string, signal?: AbortSignal): Promise<LockedFile> {
  const end = performance.now() + WAIT_SECONDS * 1000;
  for (;;) {
    signal?.throwIfAborted();
    const { descriptor, writable } = openForChange(path, shown);
    const isHeld = tryLock(descriptor) === "held";
    const stat = fstatSync(descriptor, { bigint: true });
    if (!isHeld && isSameFile(stat, statSync(path, { bigint: true, throwIfNoEntry: false }))) {
      return { path, shown, descriptor, stat, writable, [Symbol.dispose]: () => closeSync(descriptor) };
    }
    const isLate = performance.now() >= end;
    const holder = isLate ? lockHolder(descriptor) : undefined;
    closeSync(descriptor);
    if (isLate) throw notebookLocked(shown, WAIT_SECONDS, holder);
    if (isHeld) await Bun.sleep(1 + Math.random() * 8);
  }
}

/** Whether the file at the path is still the one that was locked, with the content it had then. */
export function isUnchanged(file: LockedFile): boolean {
  const now = statSync(file.path, { bigint: true, throwIfNoEntry: false });
  return isSameFile(file.stat, now) && now?.mtimeNs === file.stat.mtimeNs && now.size === file.stat.size;
}

/** Opens a notebook for reading; refuses what is no regular file without ever waiting for it. */
export function openForReading(path: string, shown: string): number {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (found === undefined) throw notebookNotFound(shown);
  if (found.isDirectory()) throw invalidNotebook(shown, "it is a directory");
  if (!found.isFile()) throw invalidNotebook(shown, "it is not a regular file");
  if (found.size > LARGEST_FILE) throw invalidNotebook(shown, "it is larger than 2 GiB");
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw errorCode(error) === "ENOENT" ? notebookNotFound(shown) : readFailed(shown, error);
  }
}

/** All bytes of an open file. */
export function readDescriptor(descriptor: number): Buffer {
  const { size } = fstatSync(descriptor);
  const bytes = Buffer.allocUnsafeSlow(size);
  let length = 0;
  while (length < size) {
    const count = readSync(descriptor, bytes, length, size - length, length);
    if (count === 0) break;
    length += count;
  }
  return bytes.subarray(0, length);
}

/** A file without write permission can still be locked and replaced. */
function openForChange(path: string, shown: string): { descriptor: number; writable: boolean } {
  const descriptor = openForReading(path, shown);
  try {
    const writing = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    closeSync(descriptor);
    return { descriptor: writing, writable: true };
  } catch {
    return { descriptor, writable: false };
  }
}

function isSameFile(a: BigIntStats, b: BigIntStats | undefined): boolean {
  return b !== undefined && a.ino === b.ino && a.dev === b.dev;
}
