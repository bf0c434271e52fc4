import { readdirSync, readFileSync } from "node:fs";
import type { LiveExecutor } from "./live-executor.ts";

/** The kernel processes of an executor: their connection files lie in its home. */
export function kernelPids(live: LiveExecutor): number[] {
  return readdirSync("/proc").flatMap((name) => {
    try {
      const words = readFileSync(`/proc/${Number(name)}/cmdline`, "utf8").split("\0");
      return words.some((word) => word.startsWith(live.home) && word.endsWith(".json")) ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

/** Waits for a kernel process that no session has. */
export async function findSpare(live: LiveExecutor, not: number[] = []): Promise<number> {
  for (;;) {
    const used = [...live.executor.listSessions().map(({ pid }) => pid), ...not];
    const spare = kernelPids(live).find((pid) => !used.includes(pid));
    if (spare !== undefined) return spare;
    await Bun.sleep(5);
  }
}
