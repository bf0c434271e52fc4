import { findSpare } from "../../test/execute/find-spare.ts";
import { liveExecutor } from "../../test/execute/live-executor.ts";
import type { BenchRow, Contest } from "./row.ts";

/** Cells in one call, and the first result of a session whose kernel was ready before. No peer does either. */
export const rows: BenchRow[] = [
  {
    name: "one of 1,000 cells of a call, bundled kernel",
    unit: "ms",
    bar: { words: "at most 2 ms", limit: () => 2 },
    start: startCells,
  },
  spareRow("python3", 40),
  spareRow("bundled", 10),
];

function spareRow(kernel: string, limit: number): BenchRow {
  return {
    name: `reset with a spare kernel until the first result, ${kernel}`,
    unit: "ms",
    bar: { words: `at most ${limit} ms`, limit: () => limit },
    start: () => startSpares(kernel),
  };
}

async function startCells(): Promise<Contest> {
  const live = liveExecutor("bundled");
  await live.run(["1"]);
  const cells = Array.from({ length: 1000 }, (_, index) => `x = ${index}`);
  return {
    async ours() {
      const began = performance.now();
      const { isError } = await live.run(cells, { timeout: 120 });
      if (isError) throw new Error("the cells failed");
      return (performance.now() - began) / cells.length;
    },
    [Symbol.asyncDispose]: () => live[Symbol.asyncDispose](),
  };
}

async function startSpares(kernel: string): Promise<Contest> {
  const live = liveExecutor(kernel, { spares: { count: 1, idleTimeout: 60_000 } });
  await live.run(["1"]);
  return {
    async ours() {
      await findSpare(live);
      // Its process is there; nothing tells when it answers, and a call that comes too early waits for that.
      await Bun.sleep(3000);
      const began = performance.now();
      await live.run(["print('ready')"], { reset: true });
      return performance.now() - began;
    },
    [Symbol.asyncDispose]: () => live[Symbol.asyncDispose](),
  };
}
