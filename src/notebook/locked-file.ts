// A locked file is open and holds the lock from `lockNotebook` until who asked for it disposes of it, or dies.
import {
  type BigIntStats,
  close,
  closeSync,
  constants,
  fstatSync,
  openSync,
  read,
  readSync,
  type Stats,
  statSync,
} from "node:fs";
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
/** What is larger is read in parts, by several threads at once. */
const SMALL = 1 << 20;
const READERS = 4;
const LARGEST_FILE = 2 ** 31 - 1;

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
      return { path, shown, descriptor, stat, writable, [Symbol.dispose]: () => release(descriptor) };
    }
    const isLate = performance.now() >= end;
    const holder = isLate ? lockHolder(descriptor) : undefined;
    closeSync(descriptor);
    if (isLate) throw notebookLocked(shown, WAIT_SECONDS, holder);
    if (isHeld) await Bun.sleep(1 + Math.random() * 8);
  }
}

/** Who closes a file last after it was replaced frees its blocks, which may take the disk milliseconds: nobody waits for that. */
function release(descriptor: number): void {
  if (fstatSync(descriptor).nlink > 0) closeSync(descriptor);
  else close(descriptor, () => {});
}

/** Whether the file at the path is still the one that was locked, with the content it had then. */
export function isUnchanged(file: LockedFile): boolean {
  const now = statSync(file.path, { bigint: true, throwIfNoEntry: false });
  return isSameFile(file.stat, now) && now?.mtimeNs === file.stat.mtimeNs && now.size === file.stat.size;
}

/** Opens a notebook for reading; refuses what is no regular file without ever waiting for it. */
export function openForReading(path: string, shown: string): number {
  requireRegularFile(path, shown);
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw errorCode(error) === "ENOENT" ? notebookNotFound(shown) : readFailed(shown, error);
  }
}

/** All bytes of an open file. */
export async function readDescriptor(descriptor: number): Promise<Buffer> {
  const { size } = fstatSync(descriptor);
  const bytes = Buffer.allocUnsafeSlow(size);
  if (size <= SMALL) return bytes.subarray(0, readNow(descriptor, bytes));
  const part = Math.ceil(size / READERS);
  const parts = Array.from({ length: READERS }, (_, index) => bytes.subarray(index * part, (index + 1) * part));
  const lengths = await Promise.all(parts.map((target, index) => readAside(descriptor, target, index * part)));
  const short = lengths.findIndex((length, index) => length < (parts[index] as Buffer).length);
  return short < 0 ? bytes : bytes.subarray(0, short * part + (lengths[short] as number));
}

function readNow(descriptor: number, target: Buffer): number {
  let length = 0;
  while (length < target.length) {
    const count = readSync(descriptor, target, length, target.length - length, length);
    if (count === 0) break;
    length += count;
  }
  return length;
}

/** Reads on another thread, from a position of the file on, and returns how much there was. */
async function readAside(descriptor: number, target: Buffer, position: number): Promise<number> {
  let length = 0;
  while (length < target.length) {
    const count = await new Promise<number>((resolve, reject) => {
      read(descriptor, target, length, target.length - length, position + length, (error, bytesRead) =>
        error ? reject(error) : resolve(bytesRead),
      );
    });
    if (count === 0) break;
    length += count;
  }
  return length;
}

/** A file without write permission can still be locked and replaced. */
function openForChange(path: string, shown: string): { descriptor: number; writable: boolean } {
  requireRegularFile(path, shown);
  try {
    return { descriptor: openSync(path, constants.O_RDWR | constants.O_NONBLOCK), writable: true };
  } catch {
    return { descriptor: openForReading(path, shown), writable: false };
  }
}

function requireRegularFile(path: string, shown: string): void {
  const found = describeFile(path, shown);
  if (found.isDirectory()) throw invalidNotebook(shown, "it is a directory");
  if (!found.isFile()) throw invalidNotebook(shown, "it is not a regular file");
  if (found.size > LARGEST_FILE) throw invalidNotebook(shown, "it is larger than 2 GiB");
}

function describeFile(path: string, shown: string): Stats {
  try {
    return statSync(path);
  } catch (error) {
    throw errorCode(error) === "ENOENT" ? notebookNotFound(shown) : readFailed(shown, error);
  }
}

function isSameFile(a: BigIntStats, b: BigIntStats | undefined): boolean {
  return b !== undefined && a.ino === b.ino && a.dev === b.dev;
}
