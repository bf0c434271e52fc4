import { readdirSync, readFileSync } from "node:fs";
import { errorCode } from "./errors.ts";

/** The limit as last read; with as many files open it cannot be read. */
let lastLimit: number | undefined;

/** How many files this process has open and how many it may have; undefined where the system does not tell. */
export function countOpenFiles(): { open: number; limit: number } | undefined {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
    lastLimit = Number(limit ?? Number.POSITIVE_INFINITY);
    return { open: readdirSync("/proc/self/fd").length, limit: lastLimit };
  } catch (error) {
    if (errorCode(error) !== "EMFILE" || lastLimit === undefined) return undefined;
    return { open: lastLimit, limit: lastLimit };
  }
}
