import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundledKernelArgv, deliverKernel } from "../../src/python/bundled-kernel.ts";
import { kernelSources } from "../../src/python/kernel-sources.ts";
import { hasDriver, KernelDriver, type Output, resultText, streamText } from "./kernel-driver.ts";

const SOURCES = join(import.meta.dir, "../../src/python/kernel/nuthatch_kernel");

describe("the bundled kernel's files", () => {
  let home: string;

  beforeAll(() => {
    home = mkdtempSync(join(tmpdir(), "nh-"));
  });

  afterAll(() => rmSync(home, { recursive: true, force: true }));

  test("are all in the list that the binary carries", () => {
    const found = readdirSync(SOURCES).filter((name) => name.endsWith(".py"));
    expect(Object.keys(kernelSources).sort()).toEqual(found.sort());
    for (const name of found) expect(kernelSources[name]).toBe(readFileSync(join(SOURCES, name), "utf8"));
  });

  test("use no syntax newer than Python 3.8, and nothing but its library", async () => {
    const check = `import ast, sys, pathlib
library = sys.stdlib_module_names if hasattr(sys, "stdlib_module_names") else None
for path in pathlib.Path(sys.argv[1]).glob("*.py"):
    tree = ast.parse(path.read_text(), str(path), feature_version=(3, 8))
    for node in ast.walk(tree):
        names = [one.name for one in node.names] if isinstance(node, ast.Import) else [node.module] if isinstance(node, ast.ImportFrom) and not node.level else []
        bad = [name for name in names if library and name.split(".")[0] not in library]
        assert not bad, (path, bad)
print("checked")`;
    const python = Bun.spawn(["python3", "-c", check, SOURCES], { stdout: "pipe" });
    expect(await new Response(python.stdout).text()).toBe("checked\n");
  });

  test("are written for this user alone, once, by many processes at the same time", async () => {
    const runtime = join(home, "many");
    const deliver = `import { deliverKernel } from ${JSON.stringify(join(import.meta.dir, "../../src/python/bundled-kernel.ts"))}; console.log(deliverKernel(${JSON.stringify(runtime)}))`;
    const writers = Array.from({ length: 6 }, () => Bun.spawn([process.execPath, "-e", deliver], { stdout: "pipe" }));
    const folders = new Set(await Promise.all(writers.map((writer) => new Response(writer.stdout).text())));
    expect(folders.size).toBe(1);
    const folder = join([...folders][0]?.trim() as string, "nuthatch_kernel");
    expect(readdirSync(folder).sort()).toEqual(Object.keys(kernelSources).sort());
    for (const path of [runtime, folder]) expect(statSync(path).mode & 0o777).toBe(0o700);
  });

  test("are repaired when some are missing or cut, and otherwise left alone", () => {
    const folder = join(deliverKernel(join(home, "damaged")), "nuthatch_kernel");
    const whole = statSync(join(folder, "wire.py"), { throwIfNoEntry: false }) ?? statSync(join(folder, "zmtp.py"));
    writeFileSync(join(folder, "shell.py"), "cut");
    rmSync(join(folder, "__main__.py"));
    deliverKernel(join(home, "damaged"));
    for (const [name, source] of Object.entries(kernelSources))
      expect(readFileSync(join(folder, name), "utf8")).toBe(source);
    expect(statSync(join(folder, "zmtp.py")).mtimeMs).toBe(whole.mtimeMs);
  });

  test("are imported from one file from the second start on, which is made anew when it is broken or old", () => {
    const folder = deliverKernel(join(home, "cached"));
    const inside = join(folder, "nuthatch_kernel");
    const start = () => {
      const code = `import sys; sys.path.insert(0, ${JSON.stringify(folder)})
from nuthatch_kernel.start_cache import import_main
import_main()
from nuthatch_kernel import shell
print(type(shell.__loader__).__name__, shell.__file__, getattr(shell, "CHANGED", None))`;
      const env = { ...process.env, PYTHONDONTWRITEBYTECODE: "" };
      return Bun.spawnSync(["python3", "-c", code], { env }).stdout.toString().trim();
    };
    const shell = join(inside, "shell.py");
    const [slow, fast] = [`SourceFileLoader ${shell}`, `StartFinder ${shell}`];
    expect([start(), start()]).toEqual([`${slow} None`, `${fast} None`]);
    const file = join(
      inside,
      "__pycache__",
      readdirSync(join(inside, "__pycache__")).find((name) => name.startsWith("start.")) ?? "",
    );
    const whole = readFileSync(file);
    for (const broken of [
      whole.subarray(0, 1000),
      Buffer.alloc(whole.length),
      Buffer.alloc(0),
      Buffer.concat([whole, Buffer.of(1)]),
    ]) {
      writeFileSync(file, broken);
      expect([start(), start()]).toEqual([`${slow} None`, `${fast} None`]);
    }
    writeFileSync(shell, `${kernelSources["shell.py"]}\nCHANGED = 1\n`);
    expect([start(), start()]).toEqual([`${slow} 1`, `${fast} 1`]);
    rmSync(file);
    mkdirSync(file);
    expect([start(), start()]).toEqual([`${slow} 1`, `${slow} 1`]);
    expect(readdirSync(join(inside, "__pycache__")).filter((name) => name.startsWith("start."))).toHaveLength(1);
  });

  test("are started with the connection file still to be filled in", async () => {
    const argv = bundledKernelArgv("python3", deliverKernel(join(home, "argv")));
    expect([argv[0], argv[1], argv[3], argv.length]).toEqual(["python3", "-c", "{connection_file}", 4]);
  });
});

/** A kernel whose Python runs this when it starts. */
function startWith(startUpFile: string): Promise<KernelDriver> {
  return KernelDriver.start({
    prepare: (folder) => writeFileSync(join(folder, "sitecustomize.py"), startUpFile),
    env: (folder) => ({ PYTHONPATH: folder }),
  });
}

describe.skipIf(!hasDriver)("the bundled kernel and its surroundings", () => {
  test("a user's own json.py, traceback.py and socket.py do not break it, and are the user's to import", async () => {
    const mine = ["json", "traceback", "socket", "selectors", "asyncio", "inspect", "subprocess", "queue"];
    await using kernel = await KernelDriver.start({
      prepare: (folder) => {
        for (const name of mine) writeFileSync(join(folder, `${name}.py`), `mine = ${JSON.stringify(name)}\n`);
      },
      env: { PYTHONDONTWRITEBYTECODE: "1" },
    });
    expect(streamText(await kernel.execute("!echo ran"))).toBe("ran\n");
    expect((await kernel.execute("1/0")).reply.traceback.join("\n")).toContain("ZeroDivisionError: division by zero");
    expect((await kernel.execute("async def f(): return 3\nawait f()")).reply.status).toBe("ok");
    expect(
      (
        await kernel.call<{ reply: object }>("request", {
          type: "inspect_request",
          content: { code: "len", cursor_pos: 2 },
        })
      ).reply,
    ).toMatchObject({ found: true });
  });

  test("a user's own functools.py or threading.py does not break the library that they import", async () => {
    const mine = ["collections", "contextvars", "functools", "operator", "selectors", "struct", "threading", "types"];
    await using kernel = await KernelDriver.start({
      prepare: (folder) => {
        for (const name of mine) writeFileSync(join(folder, `${name}.py`), "raise RuntimeError('mine')\n");
      },
    });
    const imported = await kernel.execute(
      `import json, re, dataclasses, asyncio, subprocess, concurrent.futures, ${mine.join(", ")}\nlen(types.__doc__) > 0`,
    );
    expect(resultText(imported)).toBe("True");
  });

  test("starts without the library's slow modules, and with nothing to collect", async () => {
    await using kernel = await KernelDriver.start();
    const slow = ["collections", "functools", "json", "re", "selectors", "struct", "threading", "traceback"];
    const cell = await kernel.execute(
      `import gc, sys; [name for name in ${JSON.stringify(slow)} if name in sys.modules], gc.isenabled(), len(gc.get_objects()) < 1000`,
    );
    expect(resultText(cell)).toBe("([], True, True)");
  });

  test("what a start-up file of Python's has imported is fitted too", async () => {
    await using kernel = await startWith("import linecache, signal, threading\n");
    const first = await kernel.execute(
      "import threading\ngo = threading.Event()\nthreading.Thread(target=lambda: (go.wait(), print('late'))).start()",
    );
    await kernel.execute("go.set()");
    const late = await kernel.call<Output[]>("late", { until: "late\n" });
    expect(new Set(late.map(({ parent }) => parent))).toEqual(new Set([first.id]));
    expect(resultText(await kernel.execute("import linecache; linecache.getline('<cell 1>', 1)"))).toBe(
      "'import threading\\n'",
    );
    expect(resultText(await kernel.execute("import signal; signal.signal.__module__"))).toBe(
      "'nuthatch_kernel.user_signals'",
    );
  });

  test("works where the system has no epoll", async () => {
    await using kernel = await startWith("import select\ndel select.epoll\n");
    const large = await kernel.execute(
      "import os, select\nos.system('echo child')\nprint('x' * 3_000_000, flush=True)",
    );
    expect(streamText(large)).toBe(`child\n${"x".repeat(3_000_000)}\n`);
    const cell = await kernel.execute("import time\nprint('go')\nwhile True: time.sleep(0.01)", {
      interruptWhen: "go",
    });
    expect(cell.reply.ename).toBe("KeyboardInterrupt");
    expect(resultText(await kernel.execute("hasattr(select, 'epoll')"))).toBe("False");
  });

  test("its folder is not on the user's path, and its compiled form is cached whatever the user set", async () => {
    await using kernel = await KernelDriver.start({ env: { PYTHONDONTWRITEBYTECODE: "1" } });
    const cell = await kernel.execute(
      "import sys; [entry for entry in sys.path if 'runtime' in entry], sys.path[0], sys.dont_write_bytecode",
    );
    expect(resultText(cell)).toBe("([], '', True)");
    const runtime = join(kernel.folder, "runtime");
    expect(existsSync(join(runtime, readdirSync(runtime)[0] as string, "nuthatch_kernel/__pycache__"))).toBe(true);
  });

  test("a module beside the user's notebook can be imported", async () => {
    await using kernel = await KernelDriver.start({
      prepare: (folder) => writeFileSync(join(folder, "beside.py"), "value = 4\n"),
    });
    expect(resultText(await kernel.execute("import beside; beside.value"))).toBe("4");
  });
});

const pythons = (
  process.env.NUTHATCH_TEST_PYTHONS?.split(":") ??
  ["8", "9", "10", "11", "12", "13", "14"].map((minor) => Bun.which(`python3.${minor}`) ?? "")
).filter((python) => python !== "" && Bun.spawnSync([python, "-c", "import json"]).exitCode === 0);

describe.skipIf(!hasDriver).each(pythons.map((python) => [python]))("the bundled kernel on %s", (python) => {
  test("runs, fails, awaits, forks, displays, completes and is interrupted", async () => {
    await using kernel = await KernelDriver.start({ python });
    expect(resultText(await kernel.execute("print('out'); {'a': 1}"))).toBe("{'a': 1}");
    expect((await kernel.execute("def f():\n    1/0\nf()")).reply.traceback.join("\n")).toContain(
      "Cell In[2], line 2, in f",
    );
    const executed = (await kernel.execute("exec('x = 1\\n1/0')")).reply.traceback;
    expect(executed.at(-2)).toBe('  File "<string>", line 2, in <module>');
    expect(resultText(await kernel.execute("import asyncio\nawait asyncio.sleep(0, 5)"))).toBe("5");
    expect(streamText(await kernel.execute("import os\nif os.fork() == 0: print('child')\nelse: os.wait();"))).toBe(
      "child\n",
    );
    expect(
      streamText(
        await kernel.execute(
          "import threading\nt = threading.Thread(target=print, args=('thread',)); t.start(); t.join()",
        ),
      ),
    ).toBe("thread\n");
    const pool =
      "try: from concurrent.futures import InterpreterPoolExecutor as Pool\nexcept ImportError: from concurrent.futures import ThreadPoolExecutor as Pool";
    expect(
      resultText(await kernel.execute(`${pool}\nwith Pool(1) as pool: found = list(pool.map(abs, [-3]))\nfound`)),
    ).toBe("[3]");
    expect(streamText(await kernel.execute("import ctypes; n = ctypes.PyDLL(None).puts(b'z' * 3000000)"))).toHaveLength(
      3000001,
    );
    expect(
      (await kernel.execute("from IPython.display import HTML\nHTML('<b>')")).outputs[1]?.content.data["text/html"],
    ).toBe("<b>");
    expect(streamText(await kernel.execute("%time 1\n!echo shell"))).toEndWith("shell\n");
    expect(
      (
        await kernel.call<{ reply: { matches: string[] } }>("request", {
          type: "complete_request",
          content: { code: "prin", cursor_pos: 4 },
        })
      ).reply.matches,
    ).toEqual(["print"]);
    const cell = await kernel.execute("print('ready', flush=True)\nwhile True: pass", { interruptWhen: "ready" });
    expect(cell.reply.ename).toBe("KeyboardInterrupt");
    expect(
      (await kernel.execute("try:\n    raise ExceptionGroup('g', [ValueError(1)])\nexcept NameError: pass")).reply
        .status,
    ).toBeString();
  });
});
