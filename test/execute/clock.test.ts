import { afterEach, expect, setSystemTime, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { findSpare, kernelPids } from "./find-spare.ts";
import { liveExecutor } from "./live-executor.ts";
import { showing, waitFor } from "./showing.ts";

const DAY = 24 * 3600 * 1000;
/** So many heartbeats, and as many clean-ups, must pass after a jump. */
const BEATS = 10;

afterEach(() => void setSystemTime());

test("a clock that jumps by a day ends no session, call, wait or spare", async () => {
  let beats = 0;
  await using live = liveExecutor("bundled", {
    timing: { heartbeat: 5, cleanUp: 5, busyWait: 60_000 },
    spares: { count: 1, idleTimeout: 60_000 },
    settings: { maxSessions: 1 },
    wrap: (fetch) => (input, init) => {
      beats += Number(init?.method === "GET");
      return fetch(input, init);
    },
  });
  const jump = async (by: number) => {
    setSystemTime(new Date(Date.now() + by));
    for (const enough = beats + BEATS; beats < enough && live.executor.listSessions().length > 0; ) await Bun.sleep(1);
  };
  await live.run(["x = 1"]);
  const [session] = live.executor.listSessions();
  const spare = await findSpare(live);
  await jump(DAY);
  await jump(-2 * DAY);
  const begun = showing("begun");
  const release = `${live.cwd}/release`;
  const busy = live.run([waitFor(release), "print(x)"], { timeout: 60 }, begun);
  await begun.shown;
  const waiting = live.run(["print('there')"], { name: "other" });
  await jump(2 * DAY);
  await jump(-3 * DAY);
  expect([live.executor.listSessions()[0]?.pid, kernelPids(live).includes(spare)]).toEqual([session?.pid, true]);
  writeFileSync(release, "");
  expect(await busy).toMatchObject({ isError: false, text: expect.stringMatching(/\n1\n$/) });
  expect((await waiting).text).toBe("there\n");
  expect(live.executor.listSessions()[0]?.pid).toBe(spare);
});
