import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { errorOf, hasDriver, KernelDriver, resultText, streamText } from "./kernel-driver.ts";

describe.skipIf(!hasDriver)("a cell in the bundled kernel", () => {
  let kernel: KernelDriver;

  beforeAll(async () => {
    kernel = await KernelDriver.start();
  });

  afterAll(() => kernel[Symbol.asyncDispose]());

  test("prints, gives its last expression as the result and keeps its state", async () => {
    await kernel.execute("x = 20");
    const cell = await kernel.execute("print(x * 2); x + 2");
    expect(cell.outputs.map((output) => output.type)).toEqual(["execute_input", "stream", "execute_result"]);
    expect(streamText(cell)).toBe("40\n");
    expect(resultText(cell)).toBe("22");
    expect(cell.reply).toMatchObject({ status: "ok", payload: [], user_expressions: {} });
  });

  test("starts from a namespace without a name of the kernel's own", async () => {
    await using fresh = await KernelDriver.start();
    const names = resultText(await fresh.execute("sorted(name for name in dir() if not name.startswith('__'))"));
    expect(names).toBe("['In', 'Out', 'get_ipython']");
    const modules = await fresh.execute(
      "import sys; __name__, sys.modules['__main__'].__dict__ is globals(), sys.argv",
    );
    expect(resultText(modules)).toBe("('__main__', True, [''])");
  });

  test("keeps the last results in _, __, ___ and Out, and the inputs in In", async () => {
    await using fresh = await KernelDriver.start();
    for (const code of ["1", "2", "3"]) await fresh.execute(code);
    expect(resultText(await fresh.execute("_, __, ___, Out[1], _2, In[1]"))).toBe("(3, 2, 1, 1, 2, '1')");
    await fresh.execute("_ = 'mine'");
    await fresh.execute("4");
    expect(resultText(await fresh.execute("_"))).toBe("'mine'");
  });

  test("may be indented as a whole, as what is pasted from a function", async () => {
    expect(resultText(await kernel.execute("\n    x = 1\n    if x:\n        x += 1\n    x"))).toBe("2");
    expect(streamText(await kernel.execute("    print(1)\n    !echo 2"))).toBe("1\n2\n");
    const failed = await kernel.execute("    y = 1\n    y / 0");
    expect(errorOf(failed).traceback.slice(1, 4)).toEqual([
      "  Cell In[" + failed.reply.execution_count + "], line 2",
      "    y / 0",
      expect.any(String),
    ]);
    expect(errorOf(await kernel.execute("if x:\n    1\n  2")).ename).toBe("IndentationError");
  });

  test("leaves its error for sys.last_value", async () => {
    await kernel.execute("1/0");
    expect(resultText(await kernel.execute("import sys; repr(sys.last_value)"))).toContain("ZeroDivisionError");
  });

  test("shows no result after a semicolon", async () => {
    expect(resultText(await kernel.execute("5;"))).toBeUndefined();
    expect(resultText(await kernel.execute("5;  # quiet"))).toBeUndefined();
    expect(resultText(await kernel.execute("'a;  # loud'"))).toBe("'a;  # loud'");
  });

  test("counts stored cells only, and a silent one says nothing", async () => {
    const before = (await kernel.execute("1")).reply.execution_count;
    const silent = await kernel.execute("hidden = 7; hidden", { silent: true, store_history: false });
    expect(silent.outputs).toEqual([]);
    const unstored = await kernel.execute("hidden", { store_history: false });
    expect(unstored.reply.execution_count).toBe(before);
    expect(resultText(unstored)).toBe("7");
    expect((await kernel.execute("1")).reply.execution_count).toBe(before + 1);
  });

  test("answers user_expressions after the cell, each with its own outcome", async () => {
    const cell = await kernel.execute("y = 3", { user_expressions: { good: "y + 1", bad: "1 / 0" } });
    expect(cell.reply.user_expressions.good).toMatchObject({ status: "ok", data: { "text/plain": "4" } });
    expect(cell.reply.user_expressions.bad).toMatchObject({ status: "error", ename: "ZeroDivisionError" });
  });

  test("is announced before its code runs, also where that keeps the interpreter's lock", async () => {
    await kernel.execute("import ctypes, os; os.mkfifo('gate'); gate = os.open('gate', os.O_RDWR)");
    const code = "n = ctypes.PyDLL(None).read(gate, ctypes.create_string_buffer(1), 1)";
    const id = await kernel.call<string>("send", { code });
    await kernel.call("wait_for", { id, type: "execute_input" });
    appendFileSync(join(kernel.folder, "gate"), "x");
    const { replies } = await kernel.call<{ replies: { status: string }[] }>("collect", { ids: [id] });
    expect(replies.map((reply) => reply.status)).toEqual(["ok"]);
  });

  test("aborts what was sent behind an error, without running it", async () => {
    const ids = [];
    for (const code of ["import time; time.sleep(.3); 1/0", "ran = 1"])
      ids.push(await kernel.call<string>("send", { code }));
    const { replies } = await kernel.call<{ replies: { status: string }[] }>("collect", { ids });
    expect(replies.map((reply) => reply.status)).toEqual(["error", "aborted"]);
    expect(errorOf(await kernel.execute("ran")).ename).toBe("NameError");
  });

  test("runs what was sent behind an error that need not stop it", async () => {
    const ids = [];
    for (const code of ["time.sleep(.3); 1/0", "went_on = 1"])
      ids.push(await kernel.call<string>("send", { code, stop_on_error: false }));
    const { replies } = await kernel.call<{ replies: { status: string }[] }>("collect", { ids });
    expect(replies.map((reply) => reply.status)).toEqual(["error", "ok"]);
  });

  test("holds a future statement for later cells", async () => {
    await using fresh = await KernelDriver.start();
    await fresh.execute("from __future__ import annotations");
    const cell = await fresh.execute("def f(a: unknown_name): pass\nf.__annotations__");
    expect(resultText(cell)).toBe("{'a': 'unknown_name'}");
  });

  test("ends with SystemExit as an error and lives on", async () => {
    for (const [code, value] of [
      ["import sys; sys.exit(3)", "3"],
      ["raise SystemExit", ""],
    ] as const)
      expect(errorOf(await kernel.execute(code))).toMatchObject({ ename: "SystemExit", evalue: value });
    expect(resultText(await kernel.execute("1"))).toBe("1");
  });

  test("asks the client to end the session on exit() and quit(), and goes on", async () => {
    for (const code of ["exit()", "quit()", "exit"]) {
      const { reply } = await kernel.execute(code);
      expect(reply).toMatchObject({ status: "ok", payload: [{ source: "ask_exit", keepkernel: false }] });
    }
  });

  test("survives deep recursion and says so shortly", async () => {
    const error = errorOf(await kernel.execute("def deep(): deep()\ndeep()"));
    expect(error.ename).toBe("RecursionError");
    expect(error.traceback.join("\n")).toContain("Previous line repeated");
  });
});

describe.skipIf(!hasDriver)("a traceback of the bundled kernel", () => {
  let kernel: KernelDriver;

  beforeAll(async () => {
    kernel = await KernelDriver.start();
  });

  afterAll(() => kernel[Symbol.asyncDispose]());

  const traceback = async (code: string) => {
    const lines: string[] = errorOf(await kernel.execute(code)).traceback;
    return lines.filter((line) => !/^[\s~^]*$/.test(line)).join("\n");
  };

  test("shows the lines of the cell and none of the kernel", async () => {
    await using fresh = await KernelDriver.start();
    const cell = await fresh.execute("def share(n):\n    return 1 / n\nshare(0)");
    expect(errorOf(cell).traceback.filter((line: string) => !/^[\s~^]*$/.test(line))).toEqual([
      "Traceback (most recent call last):",
      "  Cell In[1], line 3",
      "    share(0)",
      "  Cell In[1], line 2, in share",
      "    return 1 / n",
      "ZeroDivisionError: division by zero",
    ]);
  });

  test("names the cell that a function came from", async () => {
    const { reply } = await kernel.execute("def other():\n    raise KeyError('k')");
    expect(await traceback("other()")).toContain(`  Cell In[${reply.execution_count}], line 2, in other`);
  });

  test("shows the place of a syntax error and of a cause", async () => {
    expect(await traceback("x = = 1")).toContain("x = = 1");
    const text = await traceback(
      "try:\n    1/0\nexcept ZeroDivisionError as error:\n    raise ValueError('v') from error",
    );
    expect(text).toContain("ZeroDivisionError: division by zero");
    expect(text).toContain("The above exception was the direct cause");
  });

  test("leaves the kernel's frames out between a magic and the code it runs", async () => {
    expect(await traceback("%time 1/0")).not.toContain("nuthatch_kernel");
  });

  test("tells an error whose text cannot be made", async () => {
    const code = "class Odd(Exception):\n    def __str__(self): raise RuntimeError\nraise Odd";
    expect(errorOf(await kernel.execute(code)).ename).toBe("Odd");
  });

  test("gives inspect the source of a function that a cell made", async () => {
    await kernel.execute("def made():\n    return 'here'");
    expect(resultText(await kernel.execute("import inspect; inspect.getsource(made)"))).toContain("return 'here'");
  });
});
