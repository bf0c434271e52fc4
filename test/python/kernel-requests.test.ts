import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { errorOf, hasDriver, KernelDriver, resultText, streamText } from "./kernel-driver.ts";

// biome-ignore lint/suspicious/noExplicitAny: the content of any reply
type Reply = { reply: any; outputs: { type: string; content: any }[] };

describe.skipIf(!hasDriver)("requests to the bundled kernel", () => {
  let kernel: KernelDriver;

  beforeAll(async () => {
    kernel = await KernelDriver.start({ transport: "tcp" });
  });

  afterAll(() => kernel[Symbol.asyncDispose]());

  const ask = async (type: string, content: Record<string, unknown> = {}, channel = "shell") =>
    (await kernel.call<Reply>("request", { type, content, channel })).reply;

  test("kernel_info is answered on shell, and on control while a cell runs", async () => {
    const info = await ask("kernel_info_request");
    expect(info).toMatchObject({
      status: "ok",
      implementation: "nuthatch",
      language_info: { name: "python", file_extension: ".py" },
    });
    const id = await kernel.call("send", { code: "import time\nwhile 'go' not in globals(): time.sleep(.01)" });
    expect(await ask("kernel_info_request", {}, "control")).toEqual(info);
    await kernel.call("interrupt");
    await kernel.call("collect", { ids: [id] });
  });

  test("complete finds names, attributes, keys, modules, arguments, files and magics", async () => {
    await kernel.execute("table = {'first': 1}\nclass Box:\n    inside = 1\nbox = Box()\ndef call(argument): pass");
    const matches = async (code: string) => (await ask("complete_request", { code, cursor_pos: code.length })).matches;
    expect(await matches("prin")).toEqual(["print"]);
    expect(await matches("x = 1\nbox.ins")).toEqual(["inside"]);
    expect(await matches("table['fi")).toEqual(["first"]);
    expect(await matches("import jso")).toContain("json");
    expect(await matches("from os.path import joi")).toEqual(["join"]);
    expect(await matches("call(argu")).toEqual(["argument="]);
    expect(await matches("open('/et")).toEqual(["/etc/"]);
    expect(await matches("%time")).toEqual(["%time", "%timeit", "%%time", "%%timeit"]);
    expect(await matches("nothing_like_this.a")).toEqual([]);
    expect(await ask("complete_request", { code: "a = prin + 1", cursor_pos: 8 })).toMatchObject({
      matches: ["print"],
      cursor_start: 4,
      cursor_end: 8,
    });
  });

  test("inspect describes the name at the cursor or the call around it", async () => {
    await kernel.execute("def described(a, b=1):\n    'What it does.'");
    for (const [code, cursor] of [
      ["described", 3],
      ["described(1, ", 13],
    ] as const) {
      const reply = await ask("inspect_request", { code, cursor_pos: cursor, detail_level: 0 });
      expect(reply.data["text/plain"]).toContain("described(a, b=1)");
      expect(reply.data["text/plain"]).toContain("What it does.");
    }
    const detailed = await ask("inspect_request", { code: "described", cursor_pos: 2, detail_level: 1 });
    expect(detailed.data["text/plain"]).toContain("def described(a, b=1):");
    expect(await ask("inspect_request", { code: "not_there", cursor_pos: 3 })).toMatchObject({
      status: "ok",
      found: false,
    });
  });

  test("is_complete tells whole cells from half ones and broken ones", async () => {
    const status = async (code: string) => (await ask("is_complete_request", { code })).status;
    for (const code of ["1", "for x in y:\n    pass\n", "await z()", "%time 1", "!ls", "%%bash\nls\n", ""])
      expect([code, await status(code)]).toEqual([code, "complete"]);
    for (const code of ["for x in y:", "for x in y:\n    pass", "f(", "'''", "a \\", "%%bash\nls"])
      expect([code, await status(code)]).toEqual([code, "incomplete"]);
    for (const code of ["x = = 1", "foo bar baz"]) expect([code, await status(code)]).toEqual([code, "invalid"]);
    expect(await ask("is_complete_request", { code: "if x:\n    if y:" })).toMatchObject({ indent: "        " });
  });

  test("history gives tail, range and search", async () => {
    await using fresh = await KernelDriver.start();
    for (const code of ["one = 1", "one", "two = 2", "one"]) await fresh.execute(code);
    const history = async (content: Record<string, unknown>) =>
      (
        await fresh.call<Reply>("request", {
          type: "history_request",
          content: { raw: true, output: false, ...content },
        })
      ).reply.history;
    expect(await history({ hist_access_type: "tail", n: 2 })).toEqual([
      [1, 3, "two = 2"],
      [1, 4, "one"],
    ]);
    expect(await history({ hist_access_type: "range", session: 0, start: 1, stop: 3, output: true })).toEqual([
      [1, 1, ["one = 1", null]],
      [1, 2, ["one", "1"]],
    ]);
    expect(await history({ hist_access_type: "search", pattern: "one*", unique: true, n: 5 })).toEqual([
      [1, 1, "one = 1"],
      [1, 4, "one"],
    ]);
  });

  test("comm_info is empty and a comm that nobody knows is closed", async () => {
    expect(await ask("comm_info_request")).toMatchObject({ status: "ok", comms: {} });
    const { outputs } = await kernel.call<Reply>("request", {
      type: "comm_open",
      content: { comm_id: "c1", target_name: "t", data: {} },
    });
    expect(outputs).toMatchObject([{ type: "comm_close", content: { comm_id: "c1" } }]);
  });

  test("an unknown request is refused instead of left without an answer", async () => {
    expect(await ask("bogus_request")).toMatchObject({ status: "error" });
    expect(await ask("debug_request", {}, "control")).toMatchObject({ status: "error" });
  });
});

describe.skipIf(!hasDriver)("questions of a cell", () => {
  let kernel: KernelDriver;

  beforeAll(async () => {
    kernel = await KernelDriver.start();
  });

  afterAll(() => kernel[Symbol.asyncDispose]());

  test("input() and getpass() ask the client", async () => {
    const cell = await kernel.execute(
      "import getpass\nname = input('name? '); secret = getpass.getpass('pw: ')\nname, secret",
      {
        answers: ["Ada", "s3"],
      },
    );
    expect(cell.prompts).toEqual([
      { prompt: "name? ", password: false },
      { prompt: "pw: ", password: true },
    ]);
    expect(resultText(cell)).toBe("('Ada', 's3')");
  });

  test("text before a question is seen before it", async () => {
    const cell = await kernel.execute("print('first', end=''); x = input()", { answers: [""] });
    expect(streamText(cell)).toBe("first");
  });

  test("fail at once where the client cannot be asked", async () => {
    for (const code of ["input()", "import getpass; getpass.getpass()"])
      expect(errorOf(await kernel.execute(code)).ename).toBe("StdinNotImplementedError");
  });

  test("can be interrupted", async () => {
    const cell = await kernel.execute("print('ready', flush=True); input()", {
      allow_stdin: true,
      interruptWhen: "ready",
    });
    expect(cell.reply.ename).toBe("KeyboardInterrupt");
  });

  test("a child that reads its standard input sees its end", async () => {
    expect(streamText(await kernel.execute("import os; os.system('cat'); os.system('echo over')"))).toBe("over\n");
    expect(resultText(await kernel.execute("import sys; sys.stdin.read()"))).toBe("''");
  });
});
