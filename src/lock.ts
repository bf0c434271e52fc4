import { dlopen, FFIType, type Pointer, read } from "bun:ffi";
import { fstatSync, readFileSync } from "node:fs";

const EXCLUSIVE_WITHOUT_WAITING = 2 | 4;

/** What trying for a lock gave; `unsupported` is a file system, or a platform, without such locks. */
export type LockOutcome = "locked" | "held" | "unsupported";

/**
 * Tries for an exclusive `flock` on an open file, without waiting. The lock excludes every process of the host, whoever runs
 * it, and ends when the file is closed or its process dies.
 */
export function tryLock(fd: number): LockOutcome {
  const path = libraryPath();
  if (path === undefined) return "unsupported";
  const { symbols, close } = openLibrary(path);
  try {
    if (symbols.flock(fd, EXCLUSIVE_WITHOUT_WAITING) === 0) return "locked";
    const wouldBlock = process.platform === "darwin" ? 35 : 11;
    return read.i32(symbols.errno() as Pointer, 0) === wouldBlock ? "held" : "unsupported";
  } finally {
    close();
  }
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

/**
 * The C library that this process has loaded already (its name differs on musl). Always an absolute path: a bare name that
 * the system does not know would be looked for in the current directory.
 */
export function libraryPath(): string | undefined {
  if (process.platform === "darwin") return "/usr/lib/libSystem.B.dylib";
  if (process.platform !== "linux") return undefined;
  const maps = readFileSync("/proc/self/maps", "latin1");
  return /\/\S*\/(?:libc\.so\.6|libc\.musl-[^/\s]+|ld-musl-[^/\s]+)$/m.exec(maps)?.[0];
}

function openLibrary(path: string) {
  const flock = { args: [FFIType.i32, FFIType.i32], returns: FFIType.i32 } as const;
  const errno = { args: [], returns: FFIType.ptr } as const;
  if (process.platform === "darwin") {
    const { symbols, close } = dlopen(path, { flock, __error: errno });
    return { symbols: { flock: symbols.flock, errno: symbols.__error }, close };
  }
  const { symbols, close } = dlopen(path, { flock, __errno_location: errno });
  return { symbols: { flock: symbols.flock, errno: symbols.__errno_location }, close };
}
