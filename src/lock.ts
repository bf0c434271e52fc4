import { FFIType } from "bun:ffi";
import { fstatSync, readFileSync } from "node:fs";
import { lazyCLibrary } from "./c-library.ts";

/** flock(2): `LOCK_EX | LOCK_NB`, the same on Linux and macOS. */
const EXCLUSIVE_WITHOUT_WAITING = 2 | 4;
/** The number of `EWOULDBLOCK`. */
const WOULD_BLOCK = process.platform === "darwin" ? 35 : 11;

const cLibrary = lazyCLibrary({ flock: { args: [FFIType.i32, FFIType.i32], returns: FFIType.i32 } });

/** What trying for a lock gave; `unsupported` is a file system, or a platform, without such locks. */
export type LockOutcome = "locked" | "held" | "unsupported";

/**
 * Tries for an exclusive `flock` on an open file, without waiting. The lock excludes every process of the host, whoever runs
 * it, and ends when the file is closed or its process dies.
 */
export function tryLock(fd: number): LockOutcome {
  const library = cLibrary();
  if (library === undefined) return "unsupported";
  if (library.symbols.flock(fd, EXCLUSIVE_WITHOUT_WAITING) === 0) return "locked";
  return library.errno() === WOULD_BLOCK ? "held" : "unsupported";
}

/** The pid of the process that holds a `flock` on the open file, where the system tells it (Linux). */
export function lockHolder(fd: number): number | undefined {
  const inode = String(fstatSync(fd).ino);
  let table: string;
  try {
    table = readFileSync("/proc/locks", "latin1");
  } catch {
    return undefined;
  }
  // "1: FLOCK  ADVISORY  WRITE 4711 fe:00:10085330 0 EOF"; a waiter's line has "->" after the number.
  for (const line of table.split("\n")) {
    const found = /^\d+: FLOCK +\S+ +\S+ +(\d+) [\da-f]+:[\da-f]+:(\d+) /.exec(line);
    if (found?.[2] === inode && found[1] !== "0") return Number(found[1]);
  }
  return undefined;
}
