import { afterEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { createTestHost, isAlive, runCell, sendCell, type TestHost, until, VENV } from "./host.ts";
import { REAL_KERNELS } from "./real-kernels.ts";

const pythons = REAL_KERNELS.filter((real) => ["python3", "debian", "bundled"].includes(real.kernel));
const venv = REAL_KERNELS[0]!;

let host: TestHost;
afterEach(() => host[Symbol.asyncDispose]());

function startPython(real: (typeof REAL_KERNELS)[number]) {
  host = createTestHost(real.variables);
  if (real.spec) host.addSpec(real.kernel, real.spec);
  return host.start(real.kernel);
}

/** Starts the kernel of odd-kernel.py. */
function startOdd(way: string, limits = {}) {
  host = createTestHost({ VIRTUAL_ENV: VENV }, limits);
  host.addSpec("odd", { argv: ["python", join(import.meta.dir, "odd-kernel.py"), way, "{connection_file}"] });
  return host.start("odd");
}

for (const real of pythons) {
  describe.skipIf(!real.present)(real.title, () => {
    test("loses no line while we do not read for a second and a half", async () => {
      const kernel = await startPython(real);
      const cell = sendCell(kernel, "for i in range(8000): print(i, flush=True)");
      await cell.output("5\n");
      Bun.sleepSync(1500);
      const { text } = await cell.done;
      expect(text).toBe(Array.from({ length: 8000 }, (_, index) => `${index}\n`).join(""));
    });

    test("is not held up by what is written to its own standard output, and that comes as output", async () => {
      const kernel = await startPython(real);
      const run = await runCell(kernel, "import os\n_ = os.system(\"head -c 3000000 /dev/zero | tr '\\\\0' x\")");
      expect(run.text.replaceAll("\n", "")).toHaveLength(3000000);
    });

    test("is interrupted in %%bash together with what bash runs", async () => {
      const kernel = await startPython(real);
      const cell = sendCell(kernel, "%%bash\nsh -c 'echo $$; exec sleep 1000'\ntrue");
      await cell.output("\n");
      await kernel.interrupt();
      // IPython of Debian calls such a cell done.
      const pid = Number.parseInt((await cell.done).text, 10);
      expect(pid).toBeGreaterThan(1);
      await until(() => !isAlive(pid));
    });

    test("is seen to die at once though a child of it keeps its pipes open", async () => {
      const kernel = await startPython(real);
      const code = "import subprocess\nprint(subprocess.Popen(['sleep', '1000'], start_new_session=True).pid, end=';')";
      const child = Number.parseInt((await runCell(kernel, code)).text, 10);
      try {
        process.kill(kernel.pid, "SIGKILL");
        expect(await kernel.exited).toMatchObject({ signal: "SIGKILL" });
        expect(isAlive(child)).toBe(true);
      } finally {
        process.kill(child, "SIGKILL");
      }
    });

    test("that leaves by itself is dead with its exit code", async () => {
      const kernel = await startPython(real);
      sendCell(kernel, "import os\nos._exit(7)");
      expect(await kernel.exited).toMatchObject({ code: 7, signal: null });
      expect(kernel.status).toBe("dead");
    });
  });
}

describe.skipIf(!venv.present)("a kernel (needs .venv)", () => {
  test("that is asked again until iopub is live is ready then", async () => {
    const kernel = await startOdd("late-iopub");
    const info = await runCell(kernel, "");
    expect(info.messages.find((message) => message.channel === "shell")?.content.questions).toBe(4);
  });

  test("that never says a word on iopub is ready after a while all the same", async () => {
    expect((await startOdd("quiet")).status).toBe("idle");
  });

  test("whose messages are signed with another key never gets ready", async () => {
    const error = await startOdd("wrong-key", { startTimeout: 1000 }).catch((reason) => reason);
    expect(error).toMatchObject({ code: "kernel_start_failed", message: "Kernel odd did not answer within 1 s" });
  });

  test("that sends a reply twice is heard once", async () => {
    const kernel = await startOdd("replays");
    const replies: unknown[] = [];
    kernel.subscribe((message) => message.channel === "shell" && replies.push(message));
    await runCell(kernel, "");
    await runCell(kernel, "");
    expect(replies).toHaveLength(2);
  });

  test("that closes its sockets and lives on is ended", async () => {
    const kernel = await startOdd("closes");
    const run = await runCell(kernel, "");
    expect(run.status).toBe("dead");
    expect(await kernel.exited).toMatchObject({ signal: "SIGKILL" });
    await until(() => !isAlive(kernel.pid));
  });

  test("that is shut down in the middle of a cell it will not leave is gone after the last resort", async () => {
    const kernel = await startPython(venv);
    const stubborn = [
      "import signal, time",
      "for one in (signal.SIGTERM, signal.SIGINT): signal.signal(one, signal.SIG_IGN)",
      "print('stubborn', flush=True)",
      "while True:",
      "    try: time.sleep(1)",
      "    except BaseException: pass",
    ].join("\n");
    const cell = sendCell(kernel, stubborn);
    await cell.output("stubborn");
    await kernel.shutdown();
    expect(isAlive(kernel.pid)).toBe(false);
    expect((await cell.done).status).toBe("dead");
  });

  test("that is restarting is not waited for by its shutdown", async () => {
    const kernel = await startPython(venv);
    const restart = kernel.restart().catch((error) => error);
    await kernel.shutdown();
    expect(await restart).toBeInstanceOf(Error);
    expect(kernel.status).toBe("dead");
    expect(host.connectionFiles()).toEqual([]);
  });
});
