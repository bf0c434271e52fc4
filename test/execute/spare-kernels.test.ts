import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { findSpare, kernelPids } from "./find-spare.ts";
import { KINDS, type LiveExecutor, liveExecutor } from "./live-executor.ts";

const SPARES = { count: 1, idleTimeout: 60_000 };
const PID = "import os; print(os.getpid())";

const pidOf = async (live: LiveExecutor, more: object) => Number((await live.run([PID], more)).text);

for (const { kernel, missing } of KINDS) {
  describe.skipIf(missing)(`a spare ${kernel} kernel`, () => {
    test("is taken by a new session and by a reset, and another takes its place", async () => {
      await using live = liveExecutor(kernel, { spares: SPARES });
      const first = await pidOf(live, { name: "a" });
      const spare = await findSpare(live);
      expect(await pidOf(live, { name: "b" })).toBe(spare);
      const next = await findSpare(live);
      expect(await pidOf(live, { name: "a", reset: true })).toBe(next);
      expect(next).not.toBe(first);
    });

    test("is taken by the restart of a kernel that died, and has the prelude there", async () => {
      await using live = liveExecutor(kernel, { spares: SPARES });
      const first = await pidOf(live, {});
      const spare = await findSpare(live);
      process.kill(first, "SIGKILL");
      while (live.executor.listSessions()[0]?.status !== "dead") await Bun.sleep(5);
      const { text, details } = await live.run([`${PID}; print(read.__name__)`]);
      expect(text).toStartWith(`${spare}\nread\nThe state of this session was lost`);
      expect(details.kernel).toBe(kernel === "bundled" ? "nuthatch" : kernel);
    });

    test("has the folder and the environment of its session, and not those of the session before", async () => {
      await using live = liveExecutor(kernel, { spares: SPARES });
      const { environment } = live.request([]);
      await live.run(["1"], { name: "a", environment: { ...environment, FIRST: "1" } });
      const spare = await findSpare(live);
      const code =
        "import os, sys; print(os.getpid(), os.getcwd(), os.environ.get('MINE'), os.environ.get('FIRST'), sys.path[0])";
      const mine = { ...environment, MINE: "ä \"'\\" };
      const { text } = await live.run([code], { name: "b", cwd: live.home, environment: mine });
      expect(text).toBe(`${spare} ${live.home} ä "'\\ None ${live.home}\n`);
    });
  });
}

describe("spare kernels", () => {
  test("are not used where the process itself would have to be another", async () => {
    await using live = liveExecutor("bundled", { spares: SPARES });
    const { environment } = live.request([]);
    await live.run(["1"], { name: "a" });
    const spare = await findSpare(live);
    const seeded = { name: "b", environment: { ...environment, PYTHONHASHSEED: "7" } };
    expect(await pidOf(live, seeded)).not.toBe(spare);
    expect((await live.run(["import os; print(os.environ['PYTHONHASHSEED'])"], seeded)).text).toBe("7\n");
  });

  test("are not used by a call with another PATH or virtual environment, or with a module path that is relative", async () => {
    await using live = liveExecutor("bundled", { spares: SPARES });
    const { environment } = live.request([]);
    await live.run(["1"], { name: "a" });
    const changes = { PATH: `/nowhere:${process.env.PATH}`, PYTHONPATH: "lib" };
    for (const [name, value] of Object.entries(changes)) {
      const spare = await findSpare(live);
      const changed = { ...environment, [name]: value };
      const code = `import os, sys; print(os.getpid(), os.getcwd() + "/lib" in sys.path, "/" in sys.path)`;
      const [pid, own, root] = (await live.run([code], { name, environment: changed })).text.trim().split(" ");
      expect([Number(pid) === spare, own, root]).toEqual([false, name === "PYTHONPATH" ? "True" : "False", "False"]);
      await live.run(["1"], { name: `back from ${name}` });
    }
  });

  test("that do not answer are replaced, and their end is not taken for the new kernel's", async () => {
    await using live = liveExecutor("bundled", { spares: SPARES });
    await live.run(["1"], { name: "a" });
    const spare = await findSpare(live);
    process.kill(spare, "SIGSTOP");
    const code = "import os, sys; print(os.getpid(), os.getcwd(), sys.path[0], read.__name__)";
    const [pid, ...prepared] = (await live.run([code], { name: "b", cwd: live.home })).text.trim().split(" ");
    expect(Number(pid)).not.toBe(spare);
    expect(prepared).toEqual([live.home, live.home, "read"]);
  });

  test("tell what is wrong with the user's modules, and have the names of those that are not", async () => {
    const modules = [
      { path: "/modules/good.py", name: "good", text: "def mine(): return 'mine'\n" },
      { path: "/modules/bad.py", name: "bad", text: "1/0\n" },
    ];
    await using live = liveExecutor("bundled", { spares: SPARES, modules: () => ({ modules, failed: [] }) });
    await live.run(["1"], { name: "a" });
    const spare = await findSpare(live);
    const { text, details } = await live.run([`${PID}; print(mine())`], { name: "b" });
    expect(text).toBe(`${spare}\nmine\n`);
    expect(details.diagnostics).toMatchObject([{ source: "/modules/bad.py" }]);
  });

  test("that fail in what they run first are replaced once; then the kernel has died of it", async () => {
    await using live = liveExecutor("bundled", { spares: SPARES });
    const { environment } = live.request([]);
    await live.run(["1"], { name: "a" });
    const ask = async (path: string, init?: RequestInit) =>
      (await (await live.gateway.fetch(`http://localhost/api/kernels${path}`, init)).json()) as Record<string, unknown>;
    const request = { name: "nuthatch", path: live.cwd, environment, prepare: "open('ran', 'a').write('x'); 1/0" };
    const spare = await findSpare(live);
    const started = await ask("", { method: "POST", body: JSON.stringify(request) });
    expect(started).toMatchObject({ pid: spare, prepared: true });
    while ((await ask(`/${started.id}`)).execution_state !== "dead") await Bun.sleep(5);
    expect(readFileSync(`${live.cwd}/ran`, "utf8")).toBe("xx");
  });

  test("that have died are not handed out", async () => {
    await using live = liveExecutor("bundled", { spares: SPARES });
    await live.run(["1"], { name: "a" });
    const spare = await findSpare(live);
    process.kill(spare, "SIGKILL");
    expect(await pidOf(live, { name: "b" })).not.toBe(spare);
  });

  test("end after idleTimeout without a start, and with their provider", async () => {
    const live = liveExecutor("bundled", { spares: { count: 1, idleTimeout: 600 } });
    await live.run(["1"], { name: "a" });
    const spare = await findSpare(live);
    while (kernelPids(live).includes(spare)) await Bun.sleep(5);
    await live.run(["1"], { name: "b" });
    const other = await findSpare(live, [spare]);
    await live[Symbol.asyncDispose]();
    expect(() => process.kill(other, 0)).toThrow();
  });
});
