import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { errorOf, hasDriver, KernelDriver, resultText, streamText } from "./kernel-driver.ts";

describe.skipIf(!hasDriver)("magics of the bundled kernel", () => {
  let kernel: KernelDriver;

  beforeAll(async () => {
    kernel = await KernelDriver.start();
  });

  afterAll(() => kernel[Symbol.asyncDispose]());

  const printed = async (code: string) => streamText(await kernel.execute(code));
  const result = async (code: string) => resultText(await kernel.execute(code));

  test("! runs a command, with Python's values in it", async () => {
    expect(await printed("word = 'hey'\n!echo $word {word.upper()} $word/x {word}x $$HOME")).toMatch(
      /^hey HEY hey\/x heyx \//,
    );
    expect(await printed("!echo one \\\n  two")).toBe("one two\n");
    expect(await result("!exit 3\n_exit_code")).toBe("3");
  });

  test("x = !command keeps the lines", async () => {
    expect(await result("found = !printf 'a\\nb\\n'\nfound, found.n, found.s")).toBe("(['a', 'b'], 'a\\nb', 'a b')");
    expect(await result("if True:\n    inner = !echo in\ninner")).toBe("['in']");
  });

  test("marks inside strings and brackets are left alone", async () => {
    expect(await result("%pwd\ntext = '''\n%time\n!ls\n'''\nvalue = (7\n% 4)\ntext, value")).toBe(
      "('\\n%time\\n!ls\\n', 3)",
    );
  });

  test("%cd, %pwd and %env", async () => {
    expect(await printed("%cd /")).toBe("/\n");
    expect(await result("%pwd")).toBe("'/'");
    expect(await printed("%cd -")).toContain(kernel.folder.split("/").pop() as string);
    expect(await printed("%env NUTHATCH_X=5")).toBe("env: NUTHATCH_X=5\n");
    expect(await result("%env NUTHATCH_X")).toBe("'5'");
    expect(await printed("!echo $NUTHATCH_X")).toBe("5\n");
  });

  test("%time and %%time give the value and the times", async () => {
    const cell = await kernel.execute("%time sum(range(10))");
    expect(resultText(cell)).toBe("45");
    expect(streamText(cell)).toMatch(/^CPU times: user .*, sys: .*, total: .*\nWall time: .* \S?s\n$/);
    expect(await result("%%time\nheld = 4\nheld * 2")).toBe("8");
    expect(await result("%time held")).toBe("4");
  });

  test("%timeit and %%timeit measure", async () => {
    expect(await printed("%timeit -n 5 -r 2 held + 1")).toMatch(
      / per loop \(mean ± std\. dev\. of 2 runs, 5 loops each\)\n$/,
    );
    expect(await result("t = %timeit -n 2 -r 1 -q -o pass\nt.loops, len(t.all_runs)")).toBe("(2, 1)");
    expect(await printed("%%timeit -n 2 -r 1 base = 3\nbase ** 2")).toContain("1 run, 2 loops each");
  });

  test("%who lists the user's names", async () => {
    await using fresh = await KernelDriver.start();
    await fresh.execute("b = 'x'; a = 1; import json");
    expect(streamText(await fresh.execute("%who"))).toBe("a\t b\t json\n");
    expect(streamText(await fresh.execute("%who int str"))).toBe("a\t b\n");
  });

  test("%run executes a file and a notebook and keeps what they define", async () => {
    await Bun.write(
      `${kernel.folder}/script.py`,
      "import sys\nif __name__ == '__main__': print(sys.argv[1:])\nfrom_script = 3\n",
    );
    const notebook = {
      cells: [
        { cell_type: "markdown", source: "# x" },
        { cell_type: "code", source: ["from_notebook = 1\n", "from_notebook"] },
      ],
    };
    await Bun.write(`${kernel.folder}/book.ipynb`, JSON.stringify(notebook));
    expect(await printed("%run script.py a 'b c'")).toBe("['a', 'b c']\n");
    expect(await result("from_script, __name__")).toBe("(3, '__main__')");
    expect(await result("%run book.ipynb")).toBe("1");
    expect(errorOf(await kernel.execute("%run missing.py")).ename).toBe("FileNotFoundError");
  });

  test("%pip runs pip of the kernel's Python", async () => {
    expect(await printed("%pip --version")).toContain("pip ");
  });

  test("%%bash runs a script, shows its output as it comes and fails with it", async () => {
    const cell = await kernel.execute("%%bash\necho a; echo b >&2\nfor i in 1 2; do echo $i; done\nexit 4");
    expect(streamText(cell)).toBe("a\n1\n2\n");
    expect(streamText(cell, "stderr")).toBe("b\n");
    expect(errorOf(cell)).toMatchObject({
      ename: "CalledProcessError",
      evalue: "Command 'bash' returned non-zero exit status 4.",
    });
    expect(await result("get_ipython().run_cell_magic('bash', '--out kept', 'echo in')\nkept")).toBe("'in\\n'");
    const nameless = errorOf(await kernel.execute("%%bash --out\necho a"));
    expect(nameless).toMatchObject({ ename: "UsageError", evalue: "%%bash --out needs a name" });
  });

  test("%%capture keeps the output of prints, commands and displays", async () => {
    const cell = await kernel.execute("%%capture kept\nprint('p')\n!echo c\ndisplay(1)\n2");
    expect(cell.outputs.map((output) => output.type)).toEqual(["execute_input"]);
    expect(await result("kept.stdout, len(kept.outputs)")).toBe("('p\\nc\\n', 2)");
    expect(streamText(await kernel.execute("kept.show()"))).toBe("p\nc\n");
    expect(await printed("print('shown again')")).toBe("shown again\n");
  });

  test("%%writefile writes and appends", async () => {
    expect(await printed("%%writefile out.txt\none\n")).toBe("Writing out.txt\n");
    expect(await printed("%%writefile -a out.txt\ntwo\n")).toBe("Appending to out.txt\n");
    expect(await Bun.file(`${kernel.folder}/out.txt`).text()).toBe("one\ntwo\n");
  });

  test("%matplotlib takes inline and refuses windows", async () => {
    expect((await kernel.execute("%matplotlib inline")).reply.status).toBe("ok");
    expect(errorOf(await kernel.execute("%matplotlib qt")).evalue).toContain("inline");
  });

  test("an unknown magic is an error that names the known ones and where the rest is", async () => {
    for (const code of ["%load_ext autoreload", "%nonsense", "%%html\n<b>"]) {
      const error = errorOf(await kernel.execute(code));
      expect(error.ename).toBe("UsageError");
      expect(error.evalue).toMatch(/%cd %env .* %%bash .*ipykernel has the rest/);
    }
  });

  test("name? pages its help", async () => {
    const { reply } = await kernel.execute("len?");
    expect(reply.payload).toMatchObject([
      { source: "page", data: { "text/plain": expect.stringContaining("number of items") } },
    ]);
    expect(await printed("missing_name?")).toBe("Object `missing_name` not found.\n");
  });

  test("a syntax error stays the user's own", async () => {
    expect(errorOf(await kernel.execute("x = = 1\n%time 1")).ename).toBe("SyntaxError");
  });
});

describe.skipIf(!hasDriver)("cells that await", () => {
  let kernel: KernelDriver;

  beforeAll(async () => {
    kernel = await KernelDriver.start();
    await kernel.execute("import asyncio");
  });

  afterAll(() => kernel[Symbol.asyncDispose]());

  test("run to their result, with async for and async with", async () => {
    const code =
      "async def count():\n    for i in range(3): yield i\ntotal = 0\nasync for i in count(): total += i\nawait asyncio.sleep(0, 'slept'), total";
    expect(resultText(await kernel.execute(code))).toBe("('slept', 3)");
  });

  test("share one loop, and asyncio.run works in the others", async () => {
    await kernel.execute("event = asyncio.Event(); first = asyncio.get_running_loop(); await asyncio.sleep(0)");
    expect(resultText(await kernel.execute("first is asyncio.get_running_loop()"))).toBe("True");
    expect(resultText(await kernel.execute("async def main(): return 5\nasyncio.run(main())"))).toBe("5");
  });

  test("leave tasks that go on between cells, with their own cell's output", async () => {
    const made = await kernel.execute(
      "async def later():\n    await asyncio.sleep(.05); print('later')\ntask = asyncio.create_task(later())",
    );
    expect(made.reply.status).toBe("ok");
    const late = await kernel.call<{ parent: string }[]>("late", { until: "later\n" });
    expect(late[0]?.parent).toBe(made.id);
  });

  test("find a loop in the cell that imports asyncio, too", async () => {
    await using fresh = await KernelDriver.start();
    const code = "import asyncio\nasync def give():\n    return 6\ntask = asyncio.create_task(give())";
    expect((await fresh.execute(code)).reply.status).toBe("ok");
    expect(resultText(await fresh.execute("await task"))).toBe("6");
  });

  test("raise like others", async () => {
    expect(errorOf(await kernel.execute("await asyncio.wait_for(asyncio.sleep(9), .01)")).ename).toBe("TimeoutError");
    expect((await kernel.execute("await asyncio.sleep(0); raise KeyError(1)")).reply.ename).toBe("KeyError");
  });
});
