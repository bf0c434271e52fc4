import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Executed, errorOf, hasDriver, KernelDriver, resultText, streamText } from "./kernel-driver.ts";

describe.skipIf(!hasDriver)("an interrupt of the bundled kernel", () => {
  let kernel: KernelDriver;

  beforeAll(async () => {
    kernel = await KernelDriver.start();
    await kernel.execute("import time, threading, subprocess, asyncio, os\nkept = 1");
  });

  afterAll(() => kernel[Symbol.asyncDispose]());

  const interrupt = (code: string, interruptBy = "signal"): Promise<Executed> =>
    kernel.execute(`print('ready', flush=True)\n${code}`, { interruptWhen: "ready", interruptBy });

  const cases: Record<string, string> = {
    "a loop": "while True: pass",
    "a loop that prints": "while True: print('x' * 50)",
    "a sleep": "time.sleep(60)",
    "the join of a blocked thread":
      "t = threading.Thread(target=time.sleep, args=(60,), daemon=True); t.start(); t.join()",
    "a lock": "lock = threading.Lock(); lock.acquire(); lock.acquire()",
    "a child process": "subprocess.run(['sleep', '60'])",
    "a shell command": "!sleep 60",
    "a bash cell": "get_ipython().run_cell_magic('bash', '', 'sleep 60 & sleep 61')",
    "an await": "await asyncio.sleep(60)",
    "a loop in a coroutine": "async def spin():\n    while True: pass\nawait spin()",
    "a wait for other tasks": "await asyncio.gather(*[asyncio.sleep(60) for _ in range(3)])",
    "a display": "while True: display({'a': list(range(100))})",
  };

  for (const [name, code] of Object.entries(cases)) {
    test(`ends ${name} and keeps the state`, async () => {
      const cell = await interrupt(code);
      expect(cell.reply.ename).toBe("KeyboardInterrupt");
      expect(errorOf(cell).traceback.join("\n")).toContain("Cell In[");
      expect(resultText(await kernel.execute("kept"))).toBe("1");
    });
  }

  test("comes by interrupt_request too, and to the process alone", async () => {
    for (const way of ["message", "process"]) {
      expect((await interrupt("time.sleep(60)", way)).reply.ename).toBe("KeyboardInterrupt");
    }
  });

  test("counts from the moment at which the cell is announced", async () => {
    for (let count = 0; count < 20; count++) {
      const cell = await kernel.execute("time.sleep(60)", { interruptWhen: "execute_input" });
      expect(cell.reply.ename).toBe("KeyboardInterrupt");
    }
  });

  test("leaves no child of a shell command behind, not even a background job", async () => {
    await interrupt("get_ipython().run_cell_magic('bash', '', 'exec -a nuthatch-left sleep 61 & sleep 62')");
    const found = await kernel.execute("!ps -eo args | grep '^nuthatch-lef[t]' | wc -l");
    expect([found.reply, streamText(found).trim()]).toMatchObject([{ status: "ok" }, "0"]);
  });

  test("can be caught by the user's code, whose cleanup runs to its end", async () => {
    const guarded = (wait: string, handler: string) =>
      kernel.execute(
        `try:\n    print('ready', flush=True); ${wait}\n${handler}:\n    time.sleep(.1); print('cleaned')`,
        {
          interruptWhen: "ready",
        },
      );
    const caught = await guarded("time.sleep(60)", "except KeyboardInterrupt");
    expect(streamText(caught)).toMatch(/^ready\n?cleaned\n$/);
    expect(caught.reply.status).toBe("ok");
    const task = await guarded("await asyncio.sleep(60)", "finally");
    expect(streamText(task)).toMatch(/^ready\n?cleaned\n$/);
    expect(task.reply.ename).toBe("KeyboardInterrupt");
  });

  test("is not lost where a finalizer swallows it, nor where it is sent again in vain", async () => {
    const inFinalizer = "class Last:\n    def __del__(self): raise KeyboardInterrupt\nLast(); time.sleep(60)";
    expect((await kernel.execute(inFinalizer)).reply.ename).toBe("KeyboardInterrupt");
    const inVain = `import _signal; send = _signal.pthread_kill\ndef drop(*_): _signal.pthread_kill = send\n_signal.pthread_kill = drop`;
    expect((await kernel.execute(`${inVain}\n${inFinalizer}`)).reply.ename).toBe("KeyboardInterrupt");
    expect(resultText(await kernel.execute("kept"))).toBe("1");
  });

  test("ends the making of an error's text", async () => {
    const code = "class E(Exception):\n    def __str__(self):\n        while True: time.sleep(.01)\nraise E";
    expect((await interrupt(code)).reply.ename).toBe("KeyboardInterrupt");
    expect(resultText(await kernel.execute("kept"))).toBe("1");
  });

  test("does nothing while no cell runs", async () => {
    for (let count = 0; count < 20; count++) await kernel.call("interrupt");
    expect(resultText(await kernel.execute("kept"))).toBe("1");
  });

  test("goes on working after a cell that took SIGINT for itself", async () => {
    await kernel.execute("import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)");
    expect((await interrupt("time.sleep(60)")).reply.ename).toBe("KeyboardInterrupt");
  });

  test("leaves the kernel whole under a storm of signals", async () => {
    const storm = Bun.spawn(
      [
        "python3",
        "-c",
        "import os, sys, time\nend = time.time() + 3\nwhile time.time() < end:\n    os.kill(int(sys.argv[1]), 2); time.sleep(.002)",
        String((await kernel.call<{ pid: number }>("process")).pid),
      ],
      {},
    );
    let cells = 0;
    while (storm.exitCode === null) {
      const cell = await kernel.execute("for i in range(50): print(i, 'x' * 100)\nos.getpid()");
      expect(cell.reply.status === "ok" || cell.reply.ename === "KeyboardInterrupt").toBe(true);
      cells++;
      await Promise.race([storm.exited, Bun.sleep(0)]);
    }
    expect(cells).toBeGreaterThan(20);
    expect(streamText(await kernel.execute("print('whole')"))).toBe("whole\n");
  });
});
