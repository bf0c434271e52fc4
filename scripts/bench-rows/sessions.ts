import { liveExecutor } from "../../test/execute/live-executor.ts";
import type { BenchRow, Contest } from "./row.ts";

/** Cells in one call; no peer takes several. */
export const rows: BenchRow[] = [
  {
    name: "one of 1,000 cells of a call, bundled kernel",
    unit: "ms",
    bar: { words: "at most 2 ms", limit: () => 2 },
    start: startCells,
  },
];

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
