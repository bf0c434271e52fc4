import { describe, expect, test } from "bun:test";
import { mkdirSync, rmdirSync } from "node:fs";
import { KINDS, liveExecutor } from "./live-executor.ts";
import { showing, waitFor } from "./showing.ts";

const EXHAUSTED = "Python kernel restarted too many times in this session";
const DIE_ONCE = (mark: string) =>
  `import os\nprint("run", flush=True)\nif not os.path.exists(${JSON.stringify(mark)}):\n    open(${JSON.stringify(mark)}, "w").close()\n    os.kill(os.getpid(), 9)\nprint("survived")`;

const pidOf = (live: ReturnType<typeof liveExecutor>) => live.executor.listSessions()[0]?.pid as number;

for (const { kernel, missing } of KINDS) {
  describe.skipIf(missing)(`a kernel that dies, ${kernel}`, () => {
    test("in a cell is restarted, the cell runs once more, and the result says all of that", async () => {
      await using live = liveExecutor(kernel);
      await live.run(["before = 1"]);
      const { text, details, isError } = await live.run([DIE_ONCE(`${live.cwd}/mark`), "print('before' in globals())"]);
      expect(isError).toBe(false);
      expect(details.cells.map(({ status, restarted }) => [status, restarted])).toEqual([
        ["complete", true],
        ["complete", false],
      ]);
      expect(text).toMatch(
        /The Python kernel died: .*SIGKILL.*earlier state is gone, and this cell ran again\nrun\nsurvived\n/,
      );
      expect(text).toEndWith("[2/2]\nFalse\n");
    });

    test("in a cell is reported and nothing runs again with crashRetry never", async () => {
      await using live = liveExecutor(kernel, { settings: { crashRetry: "never" } });
      const code = "import os, sys\nprint('words', file=sys.__stderr__, flush=True)\nos._exit(7)";
      const { text, details, isError } = await live.run([code, "1"]);
      expect(isError).toBe(true);
      expect(details.cells.map(({ status, restarted }) => [status, restarted])).toEqual([
        ["error", false],
        ["pending", false],
      ]);
      expect(text).toContain("The Python kernel died: it exited with code 7");
      expect((await live.run(["print('alive')"])).text).toMatch(/^alive\nThe state of this session was lost/);
    });

    test("twice without a cell completing is given up, also in later calls, until a reset", async () => {
      await using live = liveExecutor(kernel);
      const { text, details, isError } = await live.run(["import os; os.kill(os.getpid(), 11)"]);
      expect(isError).toBe(true);
      expect(text).toContain("SIGSEGV");
      expect(text).toContain(EXHAUSTED);
      expect(details.cells[0]).toMatchObject({ status: "error", restarted: true });
      const later = await live.run(["print('never')"]);
      expect(later).toMatchObject({
        isError: true,
        text: `${EXHAUSTED}; reset: true gives it another chance\n`,
        details: { cells: [{ status: "pending" }] },
      });
      expect((await live.run(["print('again')"], { reset: true })).text).toBe("again\n");
    });

    test("between two calls is replaced before the next, which says that state was lost", async () => {
      await using live = liveExecutor(kernel);
      await live.run(["x = 1"]);
      process.kill(pidOf(live), "SIGKILL");
      while (live.executor.listSessions()[0]?.status !== "dead") await Bun.sleep(1);
      const { text, isError, details } = await live.run(["print('x' in globals())"]);
      expect(text).toMatch(/^False\nThe state of this session was lost.*SIGKILL/);
      expect(isError).toBe(false);
      expect(details.cells[0]?.restarted).toBe(false);
    });

    test("and whose folder is gone says that, and starts elsewhere with a reset", async () => {
      await using live = liveExecutor(kernel);
      const cwd = `${live.cwd}/gone`;
      mkdirSync(cwd);
      await live.run(["x = 1"], { name: "moved", cwd });
      rmdirSync(cwd);
      process.kill(pidOf(live), "SIGKILL");
      while (live.executor.listSessions()[0]?.status !== "dead") await Bun.sleep(1);
      const refused = await live.run(["1"], { name: "moved" }).catch((error) => error);
      expect(refused).toMatchObject({ code: "cwd_not_found", data: { cwd } });
      expect((await live.run(["print('here')"], { name: "moved", reset: true })).text).toBe("here\n");
    });

    test("is not taken for the end of the kernel in its place, however late the heartbeat's answer comes", async () => {
      const [asked, died, restarted] = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
      let isFirst = true;
      await using live = liveExecutor(kernel, {
        timing: { heartbeat: 20 },
        wrap: (fetch) => async (input, init) => {
          if (init?.method !== "GET" || !isFirst) return await fetch(input, init);
          isFirst = false;
          asked?.resolve();
          await died?.promise;
          const answer = await fetch(input, init);
          await restarted?.promise;
          return answer;
        },
      });
      await live.run(["x = 1"]);
      await asked?.promise;
      process.kill(pidOf(live), "SIGKILL");
      while (live.executor.listSessions()[0]?.status !== "dead") await Bun.sleep(1);
      died?.resolve();
      await live.run(["x = 2"]);
      restarted?.resolve();
      await Bun.sleep(50);
      expect(live.executor.listSessions()[0]?.status).toBe("idle");
      expect((await live.run(["print(x)"])).text).toBe("2\n");
    });

    test("in a cell is not waited for beyond the call's timeout, and the result says what did not run again", async () => {
      const restarts = Promise.withResolvers<Response>();
      await using live = liveExecutor(kernel, {
        wrap: (fetch) => (input, init) => (String(input).endsWith("/restart") ? restarts.promise : fetch(input, init)),
      });
      await live.run(["before = 1"]);
      const { text, details } = await live.run(["import os; os.kill(os.getpid(), 9)", "2"], { timeout: 1 });
      restarts.resolve(Response.json({ message: "gone" }, { status: 404 }));
      expect(text).toContain("the cell did not run again: the call ended before the new kernel was ready");
      expect(text).toEndWith("Command timed out after 1 seconds\n");
      expect(details).toMatchObject({ cancelled: true, timedOut: true });
      expect(details.cells.map(({ status }) => status)).toEqual(["error", "pending"]);
      expect((await live.run(["print('before' in globals())"])).text).toStartWith("False\n");
    });

    test("while a cancelled cell is interrupted is not restarted for it", async () => {
      await using live = liveExecutor(kernel);
      const begun = showing("begun");
      const abort = new AbortController();
      const code =
        "import os, signal\nsignal.signal(signal.SIGINT, signal.SIG_DFL)\nprint('begun', flush=True)\nwhile True: pass";
      const running = live.run([code], {}, { ...begun, signal: abort.signal });
      await begun.shown;
      abort.abort();
      const { details, text } = await running;
      expect(details).toMatchObject({ cancelled: true, cells: [{ status: "error", restarted: false }] });
      expect(text).toContain("The Python kernel died: it was ended by SIGINT");
    });
  });
}

const IGNORES =
  "import time\nprint('begun', flush=True)\nwhile True:\n    try:\n        while True: time.sleep(0.01)\n    except KeyboardInterrupt: pass";

async function ignoresInterrupts(kernel: string): Promise<void> {
  await using live = liveExecutor(kernel);
  const { text, details } = await live.run([IGNORES, "1"], { timeout: 1 });
  expect(text).toStartWith("[1/2]\nbegun\n");
  expect(text).toContain("Command timed out after 1 seconds");
  expect(text).toContain("ignored the interrupt for 5 seconds and was restarted");
  expect(details).toMatchObject({ cancelled: true, timedOut: true });
  expect(details.cells.map(({ status }) => status)).toEqual(["error", "pending"]);
  expect((await live.run(["print('fresh')"])).text).toBe("fresh\n");
}

async function isStopped(): Promise<void> {
  await using live = liveExecutor("bundled");
  const begun = showing("begun");
  const running = live.run([waitFor(`${live.cwd}/never`)], { timeout: 1 }, begun);
  await begun.shown;
  const pid = pidOf(live);
  process.kill(pid, "SIGSTOP");
  expect((await running).text).toContain("ignored the interrupt for 5 seconds");
  await live.executor.dispose();
  expect(() => process.kill(pid, 0)).toThrow();
}

describe("a kernel that does not react", () => {
  const kinds = KINDS.filter(({ missing }) => !missing).map(({ kernel }) => kernel);

  test("to an interrupt within 5 seconds is replaced, and the result says so; a stopped one leaves no process", async () => {
    await Promise.all([...kinds.map(ignoresInterrupts), isStopped()]);
  });
});
