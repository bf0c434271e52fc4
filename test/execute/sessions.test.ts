import { describe, expect, test } from "bun:test";
import { errorCode } from "../../src/errors.ts";
import { KINDS, liveExecutor } from "./live-executor.ts";
import { showing, waitFor } from "./showing.ts";

const names = (live: ReturnType<typeof liveExecutor>) => live.executor.listSessions().map((session) => session.name);

for (const { kernel, missing } of KINDS) {
  describe.skipIf(missing)(`sessions on ${kernel}`, () => {
    test("one is kept for each folder and each name; a named one is the same from every folder", async () => {
      await using live = liveExecutor(kernel);
      await live.run(["x = 'folder'"]);
      await live.run(["x = 'named'"], { name: "work" });
      expect((await live.run(["print(x)"])).text).toBe("folder\n");
      expect((await live.run(["print(x)"], { name: "work", cwd: live.home })).text).toBe("named\n");
      expect(live.executor.listSessions()).toMatchObject([
        { name: live.cwd, cwd: live.cwd, status: "idle" },
        { name: "work", cwd: live.cwd, status: "idle" },
      ]);
      const pid = Number((await live.run(["import os; print(os.getpid())"])).text);
      expect(live.executor.listSessions()[0]?.pid).toBe(pid);
    });

    test("reset starts afresh before the first cell only", async () => {
      await using live = liveExecutor(kernel);
      await live.run(["old = 1"]);
      const { text } = await live.run(["print('old' in globals()); new = 1", "print('new' in globals())"], {
        reset: true,
      });
      expect(text).toBe("[1/2]\nFalse\n[2/2]\nTrue\n");
    });

    test("calls of one session run one after the other, in their order; different sessions side by side", async () => {
      await using live = liveExecutor(kernel);
      const gate = `${live.cwd}/gate`;
      const first = showing("begun");
      const order: string[] = [];
      const running = live.run([waitFor(gate), "who = 'first'"], {}, first).then(() => order.push("first"));
      await first.shown;
      const second = live.run(["print(who)"]).then((result) => {
        order.push("second");
        return result;
      });
      expect((await live.run(["print('aside')"], { name: "other" })).text).toBe("aside\n");
      expect(order).toEqual([]);
      await Bun.write(gate, "");
      expect((await second).text).toBe("first\n");
      await running;
      expect(order).toEqual(["first", "second"]);
    });

    test("a call that is cancelled while it waits for its turn never starts", async () => {
      await using live = liveExecutor(kernel);
      const gate = `${live.cwd}/gate`;
      const first = showing("begun");
      const running = live.run([waitFor(gate)], {}, first);
      await first.shown;
      const abort = new AbortController();
      const waiting = live.run(["ran = True"], {}, { signal: abort.signal });
      abort.abort();
      const { details, isError, text } = await waiting;
      expect(details).toMatchObject({ cancelled: true, cells: [{ status: "pending" }] });
      expect(text).toContain("Cancelled before the first cell ran");
      expect(isError).toBe(true);
      await Bun.write(gate, "");
      await running;
      expect((await live.run(["print('ran' in globals())"])).text).toBe("False\n");
    });

    test("per-call mode has a kernel for the call alone, and none is left after success, failure and cancellation", async () => {
      await using live = liveExecutor(kernel, { settings: { kernelMode: "per-call" } });
      expect((await live.run(["x = 1", "print(x)"])).text).toContain("1\n");
      expect((await live.run(["x"])).details.error?.name).toBe("NameError");
      const endless = showing("begun");
      const abort = new AbortController();
      const running = live.run(
        ["print('begun', flush=True)\nwhile True: pass"],
        {},
        { ...endless, signal: abort.signal },
      );
      await endless.shown;
      abort.abort();
      expect((await running).details.cancelled).toBe(true);
      expect(live.executor.listSessions()).toEqual([]);
      await live.executor.dispose();
      expect(await (await live.gateway.fetch("http://embedded.invalid/api/kernels")).json()).toEqual([]);
    });

    test("an idle session is ended after idleTimeout, and the next call says that its state is gone", async () => {
      await using live = liveExecutor(kernel, { settings: { idleTimeout: 0 }, timing: { cleanUp: 10 } });
      await live.run(["x = 1"]);
      while (live.executor.listSessions().length > 0) await Bun.sleep(5);
      const { text, isError } = await live.run(["print('x' in globals())"]);
      expect(text).toMatch(/^False\nThe state of this session was lost.*without a call/);
      expect(isError).toBe(false);
    });

    test("a session whose kernel died is cleaned up, and the next call says why its state is gone", async () => {
      await using live = liveExecutor(kernel, { timing: { cleanUp: 10 } });
      await live.run(["x = 1"]);
      process.kill(live.executor.listSessions()[0]?.pid as number, "SIGKILL");
      while (live.executor.listSessions().length > 0) await Bun.sleep(5);
      expect((await live.run(["print('x' in globals())"])).text).toMatch(
        /^False\nThe state of this session was lost.*SIGKILL/,
      );
    });
  });
}

describe("the limit of sessions", () => {
  test("the session that was idle longest makes room, and its next call is told", async () => {
    await using live = liveExecutor("bundled", { settings: { maxSessions: 2 } });
    await live.run(["x = 'a'"], { name: "a" });
    await live.run(["x = 'b'"], { name: "b" });
    await live.run(["print(x)"], { name: "a" });
    await live.run(["1"], { name: "c" });
    expect(names(live)).toEqual(["a", "c"]);
    expect((await live.run(["print(x)"], { name: "a" })).text).toBe("a\n");
    expect((await live.run(["print('x' in globals())"], { name: "b" })).text).toMatch(/^False\n.*maxSessions/);
  });

  test("a busy session is never ended for another; the call waits until one is free", async () => {
    await using live = liveExecutor("bundled", { settings: { maxSessions: 1 } });
    const gate = `${live.cwd}/gate`;
    const busy = showing("begun");
    const running = live.run([waitFor(gate)], { name: "busy" }, busy);
    await busy.shown;
    const waiting = live.run(["print('room')"], { name: "waiting" });
    expect(names(live)).toEqual(["busy"]);
    await Bun.write(gate, "");
    expect((await running).isError).toBe(false);
    expect((await waiting).text).toBe("room\n");
    expect(names(live)).toEqual(["waiting"]);
  });

  test("when none becomes free in time the call says which are busy", async () => {
    await using live = liveExecutor("bundled", { settings: { maxSessions: 1 }, timing: { busyWait: 50 } });
    const gate = `${live.cwd}/gate`;
    const busy = showing("begun");
    const running = live.run([waitFor(gate)], { name: "busy" }, busy);
    await busy.shown;
    const refused = await live.run(["1"], { name: "other" }).catch((error) => error);
    expect(errorCode(refused)).toBe("sessions_busy");
    expect(refused.message).toContain("busy");
    await Bun.write(gate, "");
    await running;
  });
});

describe("the end of sessions", () => {
  test("an owner's sessions end with it, others stay; disposing twice is the same as once", async () => {
    await using live = liveExecutor("bundled");
    await live.run(["1"], { name: "mine", owner: "me" });
    await live.run(["1"], { name: "theirs", owner: "them" });
    await Promise.all([live.executor.disposeOwner("me"), live.executor.disposeOwner("me")]);
    expect(names(live)).toEqual(["theirs"]);
    await Promise.all([live.executor.dispose(), live.executor.dispose()]);
    await live.executor.dispose();
    expect(names(live)).toEqual([]);
    expect(live.run(["1"])).rejects.toMatchObject({ code: "executor_closed" });
  });

  test("a running cell ends with the executor, not after it", async () => {
    await using live = liveExecutor("bundled");
    const endless = showing("begun");
    const running = live.run(["print('begun', flush=True)\nwhile True: pass"], {}, endless);
    await endless.shown;
    await live.executor.dispose();
    const { isError, text } = await running;
    expect(isError).toBe(true);
    expect(text).toStartWith("begun\n");
  });

  test("sessions are restarted, interrupted and stopped by name; an unknown name lists those there are", async () => {
    await using live = liveExecutor("bundled");
    await live.run(["x = 1"], { name: "one" });
    await live.executor.restartSession("one");
    expect((await live.run(["print('x' in globals())"], { name: "one" })).text).toBe("False\n");
    const endless = showing("begun");
    const running = live.run(["print('begun', flush=True)\nwhile True: pass"], { name: "one" }, endless);
    await endless.shown;
    await live.executor.interruptSession("one");
    expect((await running).details.error?.name).toBe("KeyboardInterrupt");
    await live.executor.stopSession("one");
    expect(names(live)).toEqual([]);
    expect(live.executor.stopSession("one")).rejects.toMatchObject({ code: "session_not_found" });
  });

  test("a call that asks for another kernel than its session has is an error that names reset", async () => {
    await using live = liveExecutor("bundled");
    await live.run(["1"]);
    const other = { ...live.settings, kernel: "python3" };
    const refused = await live.run(["1"], { settings: other }).catch((error) => error);
    expect(errorCode(refused)).toBe("session_mismatch");
    expect(refused.hint).toContain("reset: true");
  });
});
