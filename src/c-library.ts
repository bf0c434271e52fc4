import { dlopen, type FFIFunction, FFIType, type Pointer, read } from "bun:ffi";
import { readFileSync } from "node:fs";

/**
 * The C library that this process has loaded already (its name differs on musl). Always an absolute path: a bare name that
 * the system does not know would be looked for in the current directory.
 */
export const C_LIBRARY = findLibrary();

/** Functions of the C library, and the error number that the last one of them left. */
export interface CLibrary<Names extends string> {
  symbols: Record<Names, (...values: unknown[]) => unknown>;
  errno(): number;
}

/**
 * Makes functions of the C library callable when they are first asked for, and as long as the process lives: to open it takes
 * most of a millisecond. Undefined on a platform where we do not know it.
 */
export function lazyCLibrary<Names extends string>(
  functions: Record<Names, FFIFunction>,
): () => CLibrary<Names> | undefined {
  let opened: { library: CLibrary<Names> | undefined } | undefined;
  return () => {
    opened ??= { library: openCLibrary(functions) };
    return opened.library;
  };
}

function openCLibrary<Names extends string>(functions: Record<Names, FFIFunction>): CLibrary<Names> | undefined {
  if (C_LIBRARY === undefined) return undefined;
  const errnoName = process.platform === "darwin" ? "__error" : "__errno_location";
  const library = dlopen(C_LIBRARY, { ...functions, [errnoName]: { args: [], returns: FFIType.ptr } } as Record<
    string,
    FFIFunction
  >);
  const symbols = library.symbols as unknown as Record<string, (...values: unknown[]) => unknown>;
  return {
    symbols: symbols as CLibrary<Names>["symbols"],
    errno: () => read.i32(symbols[errnoName]?.() as Pointer, 0),
  };
}

function findLibrary(): string | undefined {
  if (process.platform === "darwin") return "/usr/lib/libSystem.B.dylib";
  if (process.platform !== "linux") return undefined;
  const maps = readFileSync("/proc/self/maps", "latin1");
  return /\/\S*\/(?:libc\.so\.6|libc\.musl-[^/\s]+|ld-musl-[^/\s]+)$/m.exec(maps)?.[0];
}
