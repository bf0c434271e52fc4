import { describe, expect, test } from "bun:test";
import { hasDriver, KernelDriver, resultText, streamText } from "./kernel-driver.ts";

/** Finalizers, signal handlers and profilers run wherever the interpreter happens to be: often in the kernel's own code. */
describe.skipIf(!hasDriver)("the user's code in the middle of the bundled kernel's", () => {
  test("prints from a finalizer and waits for nothing", async () => {
    await using kernel = await KernelDriver.start();
    await kernel.execute(
      "import gc, os; gc.set_threshold(5, 1, 1)\nclass W:\n    def __init__(self): self.me = self\n    def __del__(self): print('gone', flush=True)",
    );
    for (let count = 0; count < 20; count++) {
      const cell = await kernel.execute("for i in range(20): W(); print(i, flush=True); os.write(1, b'written\\n')");
      expect(streamText(cell).match(/written/g)?.length).toBe(20);
      expect(cell.reply.status).toBe("ok");
    }
  });

  test("prints from a signal handler, and no message comes twice", async () => {
    await using kernel = await KernelDriver.start();
    await kernel.execute(
      "import signal, os\nsignal.signal(signal.SIGALRM, lambda *_: print('!', flush=True))\nsignal.setitimer(signal.ITIMER_REAL, .001, .001)",
    );
    for (let count = 0; count < 20; count++) {
      const cell = await kernel.execute("for i in range(50): print(i, flush=True); os.write(1, b'written\\n')");
      expect(streamText(cell).match(/written/g)?.length).toBe(50);
      expect(resultText(await kernel.execute("sum(range(10000))"))).toBe("49995000");
    }
  });

  test("prints from a profiler, which the cell's end does not wait for", async () => {
    await using kernel = await KernelDriver.start();
    await kernel.execute("import sys; sys.setprofile(lambda *_: print('called', flush=True))");
    expect((await kernel.execute("1")).reply.status).toBe("ok");
    expect(resultText(await kernel.execute("sys.setprofile(None); 2"))).toBe("2");
  });

  test("raises from a signal handler, and no message is lost or comes twice", async () => {
    await using kernel = await KernelDriver.start();
    await kernel.execute(
      "import signal, random\nclass Late(Exception): pass\ndef late(*_): raise Late\nsignal.signal(signal.SIGALRM, late) and None",
    );
    const code = `printed = 0
for count in range(200):
    try:
        signal.setitimer(signal.ITIMER_REAL, random.random() * .002 + .0001)
        while True:
            print('x', flush=True)
            printed += 1
    except Late:
        pass
print(printed)`;
    const lines = streamText(await kernel.execute(code))
      .trim()
      .split("\n");
    expect(Math.abs(lines.length - 1 - Number(lines.at(-1)))).toBeLessThan(200);
    expect(resultText(await kernel.execute("1"))).toBe("1");
  });

  test("raises from a signal handler between cells, which is shown and ends nothing", async () => {
    await using kernel = await KernelDriver.start();
    await kernel.execute(
      "import signal, time\ndef late(*_): raise TimeoutError('too late')\nsignal.signal(signal.SIGALRM, late)\nsignal.setitimer(signal.ITIMER_REAL, .05)",
    );
    const [output] = await kernel.call<{ content: { text: string } }[]>("late", { until: "too late" });
    expect(output?.content.text).toContain("Cell In[1], line 2, in late");
    await kernel.execute("signal.signal(signal.SIGINT, signal.default_int_handler)");
    await kernel.call("interrupt");
    expect(resultText(await kernel.execute("signal.getsignal(signal.SIGALRM) is late"))).toBe("True");
  });

  test("gets an interrupt once where it has a handler of its own", async () => {
    await using kernel = await KernelDriver.start();
    const code =
      "import signal, time; count = 0\ndef handle(*_):\n    global count; count += 1\nsignal.signal(signal.SIGINT, handle)\nprint('ready', flush=True)\nwhile not count: time.sleep(.01)\ntime.sleep(.2); count";
    expect(resultText(await kernel.execute(code, { interruptWhen: "ready" }))).toBe("1");
    const ready = "print('ready', flush=True); time.sleep(60)";
    expect((await kernel.execute(ready, { interruptWhen: "ready" })).reply.ename).toBe("KeyboardInterrupt");
  });
});
