import { describe, expect, test } from "bun:test";
import type { Gateway } from "../../src/gateway/gateway.ts";
import { type LiveExecutor, liveExecutor } from "./live-executor.ts";
import { showing } from "./showing.ts";

/** Holds the gateway's answer to a request back until `open` is called; `asked` resolves when the request is there. */
function gate(path: RegExp) {
  const [asked, opened] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const wrap =
    (fetch: Gateway["fetch"]): Gateway["fetch"] =>
    async (input, init) => {
      const answer = await fetch(input, init);
      if (init?.method !== "POST" || !path.test(String(input))) return answer;
      asked.resolve();
      await opened.promise;
      return answer;
    };
  return { wrap, asked: asked.promise, open: opened.resolve };
}

async function kernelsOf({ gateway }: LiveExecutor): Promise<string[]> {
  const kernels = await (await gateway.fetch("http://embedded.invalid/api/kernels")).json();
  return (kernels as { id: string }[]).map(({ id }) => id);
}

describe("a session that is ended", () => {
  test("while its first kernel starts leaves no kernel behind, and the call goes on in another", async () => {
    const { wrap, asked, open } = gate(/\/api\/kernels$/);
    await using live = liveExecutor("bundled", { wrap });
    const running = live.run(["print('done')"], { name: "one" });
    await asked;
    await live.executor.stopSession("one");
    open();
    expect((await running).text).toBe("done\n");
    expect(live.executor.listSessions()).toHaveLength(1);
    await live.executor.stopSession("one");
    expect(await kernelsOf(live)).toEqual([]);
  });

  test("while its kernel is restarted after a crash ends the call, and leaves no kernel behind", async () => {
    const { wrap, asked, open } = gate(/\/restart$/);
    await using live = liveExecutor("bundled", { wrap });
    const running = live.run(["import os; os.kill(os.getpid(), 9)"], { name: "one" });
    await asked;
    const stopping = live.executor.stopSession("one");
    open();
    const { text, isError } = await running;
    await stopping;
    expect(isError).toBe(true);
    expect(text).toContain("The session one was ended");
    expect(live.executor.listSessions()).toEqual([]);
    expect(await kernelsOf(live)).toEqual([]);
  });

  test("and is restarted while a cell runs ends the cell, which does not run again", async () => {
    await using live = liveExecutor("bundled");
    const begun = showing("begun");
    const code = "print('begun', flush=True)\nimport time\nwhile True: time.sleep(1)";
    const running = live.run([code, "1"], { name: "one" }, begun);
    await begun.shown;
    await live.executor.restartSession("one");
    const { text, details, isError } = await running;
    expect(isError).toBe(true);
    expect(details.cells.map(({ status, restarted }) => [status, restarted])).toEqual([
      ["error", false],
      ["pending", false],
    ]);
    expect(text).toContain("The Python kernel died: it was restarted on request");
    expect((await live.run(["print('begun' in globals())"], { name: "one" })).text).toBe("False\n");
  });
});
