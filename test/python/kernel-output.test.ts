import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { hasDriver, KernelDriver, type Output, resultText, streamText } from "./kernel-driver.ts";

describe.skipIf(!hasDriver)("output of the bundled kernel", () => {
  let kernel: KernelDriver;

  beforeAll(async () => {
    kernel = await KernelDriver.start();
  });

  afterAll(() => kernel[Symbol.asyncDispose]());

  test("keeps the order of print, C-level writes and child processes", async () => {
    const code =
      "import os\nfor i in range(200):\n    print('a', i); os.write(1, b'b\\n'); print('c'); os.system('echo d'); print('e', flush=True)";
    const expected = Array.from({ length: 200 }, (_, index) => `a ${index}\nb\nc\nd\ne\n`).join("");
    expect(streamText(await kernel.execute(code))).toBe(expected);
  });

  test("puts written output before a display that follows it", async () => {
    const cell = await kernel.execute("os.write(1, b'first\\n'); display('second'); print('third')");
    expect(cell.outputs.slice(1).map((output) => output.type)).toEqual(["stream", "display_data", "stream"]);
  });

  test("joins the pieces of a line, also soon after other output", async () => {
    for (let turn = 0; turn < 20; turn++) {
      const cell = await kernel.execute("print(1, 2, 3, sep='-')");
      expect(cell.outputs.slice(1).map((output) => output.content.text)).toEqual(["1-2-3\n"]);
    }
  });

  test("joins the pieces of a line and of a character", async () => {
    const cell = await kernel.execute("print(1, 2, sep='-'); import sys, time\nsys.stderr.write('e'); print('o')");
    expect(cell.outputs.slice(1).map((output) => output.content)).toEqual([
      { name: "stdout", text: "1-2\n" },
      { name: "stderr", text: "e" },
      { name: "stdout", text: "o\n" },
    ]);
    const split = "os.write(1, b'\\xe2'); time.sleep(.05); os.write(1, b'\\x82\\xac\\n')";
    expect(streamText(await kernel.execute(split))).toBe("€\n");
  });

  test("shows broken UTF-8 as replacement marks and goes on", async () => {
    const cell = await kernel.execute("os.write(1, b'\\xff\\xfe ok\\n'); os.write(1, b'half \\xe2')\nprint('alive')");
    expect(streamText(cell)).toBe("\ufffd\ufffd ok\nhalf alive\n\ufffd");
    const bytes = await kernel.execute(
      "sys.stdout.buffer.write(b'\\xe2\\x82'); sys.stdout.buffer.write(b'\\xac'); None",
    );
    expect(streamText(bytes)).toBe("€");
  });

  test("replaces lone surrogates and keeps what lies beyond the basic plane", async () => {
    expect(streamText(await kernel.execute("print('\\ud800x \\ud83d\\ude00 \\U0001F600')"))).toBe("\ufffdx 😀 😀\n");
  });

  test("drains C code that prints megabytes while it holds the interpreter's lock", async () => {
    const code = "import ctypes; n = ctypes.PyDLL(None).puts(b'z' * 150000)";
    expect(streamText(await kernel.execute(code))).toBe(`${"z".repeat(150000)}\n`);
    const larger = await kernel.execute("n = ctypes.PyDLL(None).puts(b'q' * 6000000); print('after')");
    expect(streamText(larger)).toBe(`${"q".repeat(6000000)}\nafter\n`);
  });

  test("loses nothing of two full descriptors", async () => {
    const code = "for i in range(20000): os.write(1, b'x' * 99 + b'\\n'); os.write(2, b'y' * 99 + b'\\n')";
    const cell = await kernel.execute(code);
    expect(streamText(cell)).toBe(`${"x".repeat(99)}\n`.repeat(20000));
    expect(streamText(cell, "stderr")).toBe(`${"y".repeat(99)}\n`.repeat(20000));
  });

  test("loses nothing of a large print and keeps its own memory small", async () => {
    await using fresh = await KernelDriver.start();
    const counted = await fresh.call<{ characters: number; lines: number }>("count", {
      code: "for i in range(40000): print('x' * 999, i)",
    });
    expect(counted).toEqual({ characters: 40000 * 1001 + 188890, lines: 40000 });
    const peak = "int([line for line in open('/proc/self/status') if 'VmHWM' in line][0].split()[1])";
    if (process.platform === "linux") expect(Number(resultText(await fresh.execute(peak)))).toBeLessThan(32 * 1024);
  });

  test("gives threads that print late their own cell, pools too", async () => {
    const threads = await kernel.execute(
      "import threading\ngo = threading.Event()\ndef late():\n    go.wait(); print('late one')\nthreading.Thread(target=late).start()",
    );
    const second = await kernel.execute("go.set(); print('second')");
    const messages = await kernel.call<Output[]>("late", { until: "late one\n" });
    expect(streamText(second)).toBe("second\n");
    expect(new Set(messages.map((message) => message.parent))).toEqual(new Set([threads.id]));
    await kernel.execute(
      "from concurrent.futures import ThreadPoolExecutor\npool = ThreadPoolExecutor(1)\npool.submit(int).result();",
    );
    const pooled = await kernel.execute("pool.submit(print, 'pooled').result()");
    expect(streamText(pooled)).toBe("pooled\n");
  });

  test("gives each message an id of its own, whichever thread it comes from", async () => {
    const code = `import json, sys, threading
from nuthatch_kernel.messages import MessageCodec
codec, found, interval = MessageCodec(b''), [], sys.getswitchinterval()
def work():
    for _ in range(2000): found.append(json.loads(codec.encode('stream', {})[0])['msg_id'])
sys.setswitchinterval(1e-6)
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
sys.setswitchinterval(interval)
len(found) - len(set(found))`;
    expect(resultText(await kernel.execute(code))).toBe("0");
  });

  test("lets a forked child print and end without answering", async () => {
    const cell = await kernel.execute("if os.fork() == 0: print('child')\nelse: os.wait(); print('parent')");
    expect(streamText(cell)).toBe("child\nparent\n");
    const failing = await kernel.execute("if os.fork() == 0: raise SystemExit(3)\nos.WEXITSTATUS(os.wait()[1])");
    expect(resultText(failing)).toBe("3");
    expect(streamText(failing, "stderr")).toBe("");
  });

  test("runs a multiprocessing pool by fork", async () => {
    const code =
      "import multiprocessing\ndef work(x):\n    print('w%d' % x); return x * x\nwith multiprocessing.get_context('fork').Pool(2) as pool: found = pool.map(work, range(6))\nfound";
    const cell = await kernel.execute(code);
    expect(resultText(cell)).toBe("[0, 1, 4, 9, 16, 25]");
    expect(streamText(cell).trim().split("\n").sort()).toEqual(["w0", "w1", "w2", "w3", "w4", "w5"]);
  });

  test("delivers what was flushed before a sudden end", async () => {
    await using dying = await KernelDriver.start();
    const counted = await dying.call<{ text: string }>("dying", {
      code: "print('last', flush=True); import os; os._exit(7)",
    });
    expect(counted.text).toBe("last\n");
    expect(await dying.call<{ code: number }>("exit_code")).toMatchObject({ code: 7 });
  });
});
