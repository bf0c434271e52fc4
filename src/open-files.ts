import { readdirSync, readFileSync } from "node:fs";

/** Read at once: with as many files open it cannot be read any more. */
const LIMIT = readLimit();

/** How many files this process has open and how many it may have; undefined where the system does not tell. */
export function countOpenFiles(): { open: number; limit: number } | undefined {
  if (LIMIT === undefined) return undefined;
  try {
    return { open: readdirSync("/proc/self/fd").length, limit: LIMIT };
  } catch {
    return { open: LIMIT, limit: LIMIT };
  }
}

function readLimit(): number | undefined {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
    return Number(limit ?? Number.POSITIVE_INFINITY);
  } catch {
    return undefined;
  }
}
