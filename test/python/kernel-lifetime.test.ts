import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundledKernelArgv, deliverKernel } from "../../src/python/bundled-kernel.ts";
import { driverPython, hasDriver, KernelDriver, resultText, streamText } from "./kernel-driver.ts";

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, "utf8") : "");
  } catch {
    return false;
  }
};

const untilGone = async (pid: number) => {
  const limit = performance.now() + 5000;
  while (isAlive(pid) && performance.now() < limit) await Bun.sleep(2);
  return !isAlive(pid);
};

describe.skipIf(!hasDriver)("the end of the bundled kernel", () => {
  test("comes on request: exit functions run, sockets and children go, the reply is sent", async () => {
    await using kernel = await KernelDriver.start();
    const cell = await kernel.execute(
      "import atexit, subprocess\natexit.register(lambda: open('left', 'w').write('bye'));\nsubprocess.Popen(['sleep', '600']).pid",
    );
    const { reply } = await kernel.call<{ reply: object }>("shutdown", { restart: true });
    expect(reply).toEqual({ status: "ok", restart: true });
    expect(await kernel.call<object>("exit_code")).toMatchObject({ code: 0 });
    expect(await Bun.file(join(kernel.folder, "left")).text()).toBe("bye");
    expect(readdirSync(kernel.folder).filter((name) => name.startsWith("socket"))).toEqual([]);
    expect(await untilGone(Number(resultText(cell)))).toBe(true);
  });

  test("interrupts a running cell first, and does not wait for one that goes on", async () => {
    await using kernel = await KernelDriver.start();
    await kernel.call("send", {
      code: "import time\ntry:\n    open('started', 'w').close(); time.sleep(60)\nfinally:\n    open('cleaned', 'w').close()",
    });
    await kernel.call("wait_for_file", { name: "started" });
    await kernel.call("shutdown", {});
    expect(await kernel.call<object>("exit_code")).toMatchObject({ code: 0 });
    expect(existsSync(join(kernel.folder, "cleaned"))).toBe(true);

    await using stubborn = await KernelDriver.start();
    await stubborn.call("send", {
      code: "import time\nopen('started', 'w').close()\nwhile True:\n    try: time.sleep(60)\n    except KeyboardInterrupt: pass",
    });
    await stubborn.call("wait_for_file", { name: "started" });
    await stubborn.call("shutdown", {});
    expect((await stubborn.call<{ after: number }>("exit_code")).after).toBeLessThan(5);
  });

  test("delivers what was flushed before a crash, and tells the crash on the stderr it was given", async () => {
    await using kernel = await KernelDriver.start();
    const { text } = await kernel.call<{ text: string }>("dying", {
      code: "import ctypes\nprint('before', flush=True)\nctypes.string_at(0)",
    });
    expect(text).toBe("before\n");
    expect(await kernel.call<object>("exit_code")).toMatchObject({ code: -11 });
    const words = await Bun.file(join(kernel.folder, "stderr")).text();
    expect(words).toContain("Segmentation fault");
    expect(words).toContain('File "<cell 1>", line 3');
  });

  test("takes the last words of C code along when native code is in use", async () => {
    await using kernel = await KernelDriver.start();
    const code = "import ctypes, os\nlibc = ctypes.CDLL(None)\nos.write(2, b'last words\\n'); os.kill(os.getpid(), 9)";
    await kernel.call("dying", { code });
    const { text } = await kernel.call<{ text: string }>("stderr_until", { text: "last words" });
    expect(text).toContain("last words");
  });

  test("comes at once when its owner is killed, and takes its children along", async () => {
    const folder = mkdtempSync(join(tmpdir(), "nh-"));
    const connection = { transport: "ipc", ip: join(folder, "s"), key: "k", signature_scheme: "hmac-sha256" };
    const ports = Object.fromEntries(
      ["shell", "iopub", "stdin", "control", "hb"].map((name, index) => [`${name}_port`, index + 1]),
    );
    writeFileSync(join(folder, "connection.json"), JSON.stringify({ ...connection, ...ports }));
    const argv = bundledKernelArgv("python3", deliverKernel(join(folder, "runtime"))).map((word) =>
      word.replace("{connection_file}", join(folder, "connection.json")),
    );
    const owner = Bun.spawn(
      [
        "python3",
        "-c",
        "import os, subprocess, sys, time\nos.environ['JPY_PARENT_PID'] = str(os.getpid())\nprint(subprocess.Popen(sys.argv[1:], start_new_session=True).pid, flush=True)\ntime.sleep(600)",
        ...argv,
      ],
      { stdout: "pipe" },
    );
    const pid = Number(new TextDecoder().decode((await owner.stdout.getReader().read()).value));
    while (!existsSync(join(folder, "s-5"))) await Bun.sleep(2);
    expect(isAlive(pid)).toBe(true);
    owner.kill("SIGKILL");
    expect(await untilGone(pid)).toBe(true);
    rmSync(folder, { recursive: true, force: true });
  });
});

describe.skipIf(!hasDriver)("the sockets of the bundled kernel", () => {
  let kernel: KernelDriver;

  beforeAll(async () => {
    kernel = await KernelDriver.start({ transport: "tcp" });
  });

  afterAll(() => kernel[Symbol.asyncDispose]());

  test("echo the heartbeat while a cell runs", async () => {
    const id = await kernel.call("send", { code: "import time\nwhile True: time.sleep(.01)" });
    expect(await kernel.call<string>("beat", { text: "ping" })).toBe("ping");
    await kernel.call("interrupt");
    await kernel.call("collect", { ids: [id] });
  });

  test("refuse replays and wrong signatures, and go on", async () => {
    await kernel.execute("count = 0");
    await kernel.call("raw", { code: "count += 1", times: 3, corrupt: false });
    await kernel.call("raw", { code: "count += 10", times: 1, corrupt: true });
    expect(resultText(await kernel.execute("count"))).toBe("1");
  });

  test("survive peers that speak nonsense or leave halfway", async () => {
    expect(await kernel.call<number>("nonsense", {})).toBeGreaterThan(5);
    expect(streamText(await kernel.execute("print('still here')"))).toBe("still here\n");
  });
});

test.skipIf(!hasDriver)("the bundled kernel passes jupyter_kernel_test in full", async () => {
  const folder = mkdtempSync(join(tmpdir(), "nh-"));
  const spec = join(folder, "jupyter/kernels/nuthatch");
  mkdirSync(spec, { recursive: true });
  const argv = bundledKernelArgv("python3", deliverKernel(join(folder, "runtime")));
  writeFileSync(join(spec, "kernel.json"), JSON.stringify({ argv, display_name: "Nuthatch", language: "python" }));
  const suite = Bun.spawn([driverPython, join(import.meta.dir, "kernel-suite.py")], {
    env: { ...process.env, JUPYTER_PATH: join(folder, "jupyter") },
    stderr: "pipe",
    stdout: "ignore",
  });
  const report = await new Response(suite.stderr).text();
  rmSync(folder, { recursive: true, force: true });
  expect(report).toMatch(/^Ran 13 tests in /m);
  expect(report).toMatch(/^OK$/m);
});
