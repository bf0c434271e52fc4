import { describe, expect, test } from "bun:test";
import { errorCode } from "../../src/errors.ts";
import { unlessAborted } from "../../src/execute/call-queue.ts";
import type { Gateway } from "../../src/gateway/gateway.ts";
import { liveExecutor } from "./live-executor.ts";

/** A gateway that answers the first `times` starts of a kernel with a failure of its own. */
function failing(times: number, answer: () => Response) {
  const starts = { count: 0 };
  const wrap =
    (fetch: Gateway["fetch"]): Gateway["fetch"] =>
    async (input, init) => {
      const isStart = init?.method === "POST" && String(input).endsWith("/api/kernels");
      if (isStart && starts.count++ < times) return answer();
      return await fetch(input, init);
    };
  return { starts, wrap };
}

const broken = () => Response.json({ message: "the server is on fire" }, { status: 503 });
const full = () => Response.json({ message: "[Errno 24] Too many open files: '/tmp/x'" }, { status: 500 });

describe("the start of a session's kernel", () => {
  test("is tried once more when the gateway answers HTTP 5xx", async () => {
    const { starts, wrap } = failing(1, broken);
    await using live = liveExecutor("bundled", { wrap });
    expect((await live.run(["print('up')"])).text).toBe("up\n");
    expect(starts.count).toBe(2);
  });

  test("is given up after the second HTTP 5xx, with the gateway's reason", async () => {
    const { starts, wrap } = failing(5, broken);
    await using live = liveExecutor("bundled", { wrap });
    const error = await live.run(["1"]).catch((caught) => caught);
    expect(errorCode(error)).toBe("gateway_create_failed");
    expect(error.message).toContain("HTTP 503");
    expect(error.message).toContain("the server is on fire");
    expect(starts.count).toBe(2);
    expect(live.executor.listSessions()).toEqual([]);
  });

  test("ends idle sessions and is tried once more when the gateway is out of open files", async () => {
    let failNow = false;
    const wrap =
      (fetch: Gateway["fetch"]): Gateway["fetch"] =>
      async (input, init) => {
        const isStart = init?.method === "POST" && String(input).endsWith("/api/kernels");
        if (!isStart || !failNow) return await fetch(input, init);
        failNow = false;
        return full();
      };
    await using live = liveExecutor("bundled", { wrap });
    await live.run(["1"], { name: "idle" });
    failNow = true;
    expect((await live.run(["print('up')"], { name: "new" })).text).toBe("up\n");
    expect(live.executor.listSessions().map(({ name }) => name)).toEqual(["new"]);
  });

  test("says the limit and the count when there are no open files after that either", async () => {
    const { wrap } = failing(5, full);
    await using live = liveExecutor("bundled", { wrap });
    const error = await live.run(["1"]).catch((caught) => caught);
    expect(errorCode(error)).toBe("too_many_open_files");
    expect(error.message).toMatch(/^Too many open files: \d+ are open, the limit is \d+$/);
    expect(error.hint).toContain("ulimit -n");
  });

  test("of an unknown kernel fails once, and names those that there are", async () => {
    const { starts, wrap } = failing(0, broken);
    await using live = liveExecutor("no-such-kernel", { wrap });
    const error = await live.run(["1"]).catch((caught) => caught);
    expect(errorCode(error)).toBe("kernelspec_not_found");
    expect(`${error.message} ${error.hint}`).toContain("auto");
    expect(starts.count).toBe(1);
    expect(live.executor.listSessions()).toEqual([]);
  });

  test("is cancelled with its call, and no kernel is left", async () => {
    await using live = liveExecutor("bundled");
    const abort = new AbortController();
    const running = live.run(["1"], {}, { signal: abort.signal });
    abort.abort();
    expect((await running).details).toMatchObject({ cancelled: true, cells: [{ status: "pending" }] });
    await live.executor.dispose();
    expect(await (await live.gateway.fetch("http://embedded.invalid/api/kernels")).json()).toEqual([]);
  });

  test("that is given up on a gateway which goes on with it leaves no kernel there", async () => {
    const asked = Promise.withResolvers<void>();
    let start: Promise<Response> | undefined;
    await using live = liveExecutor("bundled");
    const own = { ...live.gateway.serverSettings, local: false };
    const fetch: Gateway["fetch"] = async (input, { signal, ...init } = {}) => {
      const answer = live.gateway.fetch(input, init);
      if (init.method === "POST") {
        start ??= answer;
        asked.resolve();
      }
      return await unlessAborted(answer, signal as AbortSignal);
    };
    await using remote = liveExecutor("bundled", { remote: { ...own, fetch } });
    const abort = new AbortController();
    const running = remote.run(["1"], {}, { signal: abort.signal });
    await asked.promise;
    abort.abort();
    expect((await running).details).toMatchObject({ cancelled: true, cells: [{ status: "pending" }] });
    expect((await start)?.status).toBe(201);
    await remote.executor.dispose();
    expect(await (await live.gateway.fetch("http://embedded.invalid/api/kernels")).json()).toEqual([]);
  });

  test("goes on without the session's files where the state directory cannot be written", async () => {
    await using live = liveExecutor("bundled");
    await Bun.write(`${live.home}/state`, "a file in the way");
    expect((await live.run(["import os; print('ARTIFACTS' in os.environ)"])).text).toBe("False\n");
    const long = await live.run(["print('x' * 200000)"]);
    expect(long.details.meta).toMatchObject({ truncated: true, artifactId: null });
    expect(long.text).toContain("The rest was not saved");
  });
});

describe("a session's files", () => {
  test("name the session, its folder, kernel and artifacts; the kernel finds them by its environment", async () => {
    await using live = liveExecutor("bundled");
    const { details } = await live.run(["import os; print(os.environ['PI_SESSION_FILE'])\nprint('x' * 60000)"]);
    const id = details.meta.artifactId as string;
    const code = "import json, os; print(json.dumps(json.load(open(os.environ['PI_SESSION_FILE']))))";
    const record = JSON.parse((await live.run([code])).text);
    expect(record).toMatchObject({ name: live.cwd, cwd: live.cwd, kernel: expect.any(String), artifacts: [{ id }] });
    expect(await Bun.file(record.artifacts[0].path).text()).toContain("x".repeat(60000));
  });

  test("are the host's own where its environment names them", async () => {
    await using live = liveExecutor("bundled");
    const own = { PI_SESSION_FILE: `${live.cwd}/session.json`, ARTIFACTS: `${live.cwd}/artifacts` };
    const environment = { ...live.request([]).environment, ...own };
    const { text } = await live.run(["import os; print(os.environ['PI_SESSION_FILE'], os.environ['ARTIFACTS'])"], {
      environment,
    });
    expect(text).toBe(`${own.PI_SESSION_FILE} ${own.ARTIFACTS}\n`);
    const long = await live.run(["print('x' * 60000)"], { environment });
    expect(await Bun.file(`${own.ARTIFACTS}/${long.details.meta.artifactId}.txt`).exists()).toBe(true);
    expect(await Bun.file(own.PI_SESSION_FILE).exists()).toBe(false);
  });
});
