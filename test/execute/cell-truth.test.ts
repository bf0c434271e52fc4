import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { OWN_GATEWAYS } from "./gateway-places.ts";
import { type LiveExecutor, liveExecutor, PLACES } from "./live-executor.ts";
import { showing } from "./showing.ts";

/** A cell whose thread prints once the file is there, and says so in another. */
const late = (folder: string) => `import os, threading, time
def tick():
    while not os.path.exists("${folder}/go"): time.sleep(0.005)
    print("late", flush=True)
    open("${folder}/gone", "w").close()
t = threading.Thread(target=tick); t.start()
print("now")`;

for (const { kernel, missing, place, open } of [...PLACES, ...OWN_GATEWAYS]) {
  describe.skipIf(missing)(`what a result says, ${place}`, () => {
    let live: LiveExecutor;
    beforeAll(async () => {
      live = await open();
    }, 60_000);
    afterAll(() => live[Symbol.asyncDispose](), 60_000);

    /** Cancels a call once its output shows `begun`. */
    async function cancelOnceBegun(code: string) {
      const begun = showing("begun");
      const abort = new AbortController();
      const running = live.run([code], {}, { ...begun, signal: abort.signal });
      await Promise.race([begun.shown, running]);
      abort.abort();
      return await running;
    }

    test("a __repr__ that raises is a failure, whatever the reply says", async () => {
      const { isError, text, details } = await live.run([
        "class Bad:\n    def __repr__(self): raise ValueError('no repr')\nBad()",
      ]);
      expect(isError).toBe(true);
      expect(text).toContain("ValueError: no repr");
      expect(details.error?.name).toBe("ValueError");
    });

    test("a bad magic is a failure that is shown once", async () => {
      const { isError, text, details } = await live.run(["%no_such_magic"]);
      expect(isError).toBe(true);
      expect(text.match(/UsageError/g)?.length).toBe(1);
      expect(details.cells[0]?.status).toBe("error");
    });

    test("a syntax error is a failure with its traceback", async () => {
      const { isError, text } = await live.run(["def broken(:\n    pass"]);
      expect(isError).toBe(true);
      expect(text).toContain("SyntaxError");
    });

    test("an interrupted %%bash is cancelled although it replies ok", async () => {
      const { details } = await cancelOnceBegun("%%bash\necho begun\nsleep 600");
      expect(details).toMatchObject({ cancelled: true, cells: [{ status: "error" }] });
    });

    test("an interrupted await ends within the grace, as a cancelled cell, and the state survives", async () => {
      await live.run(["kept = 'still'"]);
      const { details, text } = await cancelOnceBegun(
        "import asyncio\nprint('begun', flush=True)\nawait asyncio.sleep(3)",
      );
      expect(details).toMatchObject({ cancelled: true, cells: [{ status: "error" }] });
      expect(text).not.toContain("ignored the interrupt");
      expect((await live.run(["print(kept)"])).text).toBe("still\n");
    });

    test("exit() ends the call as done and the session with it", async () => {
      await live.run(["kept = 1"], { name: "leaving" });
      const { isError, details } = await live.run(["print('bye')\nexit()", "print('never')"], { name: "leaving" });
      expect(isError).toBe(false);
      expect(details.cells.map(({ status }) => status)).toEqual(["complete", "pending"]);
      expect(live.executor.listSessions().map(({ name }) => name)).not.toContain("leaving");
      expect((await live.run(["print('kept' in globals())"], { name: "leaving" })).text).toBe("False\n");
    });

    test("what a thread prints between two calls comes with the next one, under a heading, once", async () => {
      expect((await live.run([late(live.cwd)])).text).toBe("now\n");
      await Bun.write(`${live.cwd}/go`, "");
      while (!existsSync(`${live.cwd}/gone`)) await Bun.sleep(1);
      let text = "";
      while (text.length < 20) text = (await live.run(["print('mine')"])).text;
      expect(text).toBe("[earlier output]\nlate\nmine\n");
      expect((await live.run(["print('mine')"])).text).toBe("mine\n");
    });

    // ipykernel 7.4 stamps what a plain thread prints with the cell that runs then, so nobody can tell it apart.
    if (kernel === "bundled") {
      test("what a thread prints during a later cell is not that cell's output", async () => {
        await using own = liveExecutor(kernel);
        await own.run([late(own.cwd)]);
        await Bun.write(`${own.cwd}/go`, "");
        const next = await own.run(["t.join()\nprint('mine')"]);
        expect(next.text).toBe("mine\n");
        expect((await own.run(["1"])).text).toBe("[earlier output]\nlate\n1\n");
      });
    }

    test("a cancelled call has its output up to the end as its own", async () => {
      const code =
        "import time\ntry:\n    print('begun', flush=True)\n    time.sleep(60)\nfinally:\n    time.sleep(0.2)\n    print('cleaned')";
      const { text } = await cancelOnceBegun(code);
      expect(text).toContain("cleaned");
      expect((await live.run(["1"])).text).toBe("1\n");
    });

    // A kernel elsewhere is told nothing of this host's environment.
    if (kernel !== "auto") {
      test("the environment of the session is set in the kernel, and the caller's own is inherited", async () => {
        const environment = { ...live.request([]).environment, NUTHATCH_PROBE: "seen", OPENAI_API_KEY: "hidden" };
        const code =
          "import os; print(os.environ.get('NUTHATCH_PROBE'), os.environ.get('OPENAI_API_KEY'), os.path.isdir(os.environ['ARTIFACTS']))";
        expect((await live.run([code], { environment, name: "environment" })).text).toBe("seen None True\n");
      });
    }

    test("the first execution of a session is number 1", async () => {
      const { text } = await live.run(["raise ValueError('first')"], { name: "counting" });
      expect(text).toMatch(/In\[1\]|<cell 1>/);
    });
  });
}
