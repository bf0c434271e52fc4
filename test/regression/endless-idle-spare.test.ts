import { expect, test } from "bun:test";
import { findSpare } from "../execute/find-spare.ts";
import { liveExecutor } from "../execute/live-executor.ts";
import { waitFor } from "../execute/showing.ts";
import { temporaryFolder } from "../nuthatch.ts";

// `nuthatch serve` is never idle: its endless limit made a timer that fired at once and ended every spare.
test("a spare kernel without a limit of idleness stays and is taken", async () => {
  using folder = temporaryFolder();
  const mark = `${folder.path}/warm`;
  const warmUp = () => `open(${JSON.stringify(mark)}, "w").close()`;
  const spares = { count: 1, idleTimeout: Number.POSITIVE_INFINITY, warmUp };
  await using live = liveExecutor("bundled", { spares });
  await live.run(["1"], { name: "a" });
  const spare = await findSpare(live);
  // It is ready by the mark; such a timer would fire while the cell goes on.
  await live.run([`${waitFor(mark)}\ntime.sleep(0.2)`], { name: "a" });
  const { text } = await live.run(["import os; print(os.getpid())"], { name: "b" });
  expect(Number(text)).toBe(spare);
});
