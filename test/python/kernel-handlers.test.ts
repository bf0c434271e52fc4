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
});
