// A lock belongs to an open file: it ends with its process however that dies, so a lock file that lies about is never stale.
// Whoever acquired it calls `release`, or `handOver` once a child process has inherited the descriptor.
import { closeSync, fstatSync, openSync, rmSync, statSync } from "node:fs";
import { NuthatchError } from "../errors.ts";
import { tryLock } from "../lock.ts";

/** An exclusive lock that is held. `release` removes the file and is idempotent. */
export interface FileLock extends Disposable {
  readonly path: string;
  /** The descriptor that holds the lock; a child process that inherits it holds the lock too. */
  readonly descriptor: number;
  /** Whether the path still leads to the locked file; if not, another process may hold a lock of the same name. */
  isInPlace(): boolean;
  release(): void;
  /** Closes this process's descriptor and leaves the lock to the child that inherited it. */
  handOver(): void;
}

const POLL_MILLISECONDS = 4;

/** Takes the lock if nobody holds it. The folder must exist; file system errors are thrown as they are. */
export function tryLockFile(path: string): FileLock | undefined {
  for (;;) {
    const descriptor = openSync(path, "a", 0o600);
    const outcome = tryLock(descriptor);
    if (outcome === "locked" && isFileAt(descriptor, path)) return holdLock(path, descriptor);
    closeSync(descriptor);
    if (outcome === "unsupported") throw unsupportedError(path);
    if (outcome === "held") return undefined;
    // Its last holder has removed the file meanwhile: try with the new one.
  }
}

/** Waits for the lock, at most `timeout` seconds; then throws `locked`. Rejects with the signal's reason when aborted. */
export async function lockFile(
  path: string,
  options: { timeout: number; signal?: AbortSignal | undefined },
): Promise<FileLock> {
  const end = performance.now() + options.timeout * 1000;
  for (;;) {
    options.signal?.throwIfAborted();
    const lock = tryLockFile(path);
    if (lock !== undefined) return lock;
    if (performance.now() >= end) throw lockedError(path, options.timeout);
    await Bun.sleep(POLL_MILLISECONDS);
  }
}

/** Wraps a descriptor that already holds the lock, as a child process finds it after `handOver`. */
export function holdLock(path: string, descriptor: number): FileLock {
  let held = true;
  const isInPlace = () => held && isFileAt(descriptor, path);
  const end = (remove: boolean) => {
    if (!held) return;
    if (remove && isInPlace()) rmSync(path, { force: true });
    held = false;
    closeSync(descriptor);
  };
  const release = () => end(true);
  return { path, descriptor, isInPlace, release, handOver: () => end(false), [Symbol.dispose]: release };
}

function isFileAt(descriptor: number, path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  const own = fstatSync(descriptor);
  return found !== undefined && found.ino === own.ino && found.dev === own.dev;
}

function unsupportedError(path: string): NuthatchError {
  return new NuthatchError({ code: "lock_unavailable", message: `file locks do not work for ${path} on this system` });
}

function lockedError(path: string, timeout: number): NuthatchError {
  return new NuthatchError({
    code: "locked",
    message: `another process held the lock ${path} for ${timeout} seconds`,
    hint: "wait for it to end, or end it",
    data: { path },
  });
}
