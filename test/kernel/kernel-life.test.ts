import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { KernelChannels } from "../../src/kernel/kernel-channels.ts";
import type { Kernel } from "../../src/kernel/model.ts";
import { findDirectories } from "../../src/paths.ts";
import {
  createTestHost,
  interruptCell,
  isAlive,
  runCell,
  sendCell,
  stopProcess,
  type TestHost,
  until,
} from "./host.ts";
import { REAL_KERNELS, type RealKernel } from "./real-kernels.ts";

/** Milliseconds. */
const HEARTBEAT = 100;

/** One kernel lives through all the tests, because some take seconds to start. */
function describeLife(real: RealKernel): void {
  let host: TestHost;
  let kernel: Kernel;
  beforeAll(async () => {
    host = createTestHost(real.variables, { heartbeat: HEARTBEAT });
    if (real.spec) host.addSpec(real.kernel, real.spec);
    kernel = await host.start(real.kernel);
  }, 60_000);
  afterAll(() => host[Symbol.asyncDispose]());

  test("is idle once it is started, and its first cell counts as 1 whatever prepared it", async () => {
    expect(kernel.status).toBe("idle");
    const run = await runCell(kernel, real.print("hello"));
    expect(run).toMatchObject({ status: "ok", text: "hello\n" });
    const input = run.messages.find((message) => message.header.msg_type === "execute_input");
    expect(input?.content.execution_count).toBe(1);
  });

  test("keeps its connection file and sockets to this user", () => {
    const files = host.connectionFiles();
    const file = files.find((path) => path.endsWith("kernel.json"));
    const path = join(findDirectories({ NUTHATCH_HOME: host.home }).runtime, file!);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, "..")).mode & 0o777).toBe(0o700);
    expect(files.filter((one) => /s-\d$/.test(one))).toHaveLength(5);
  });

  test("is interrupted in a cell and keeps what earlier cells left", async () => {
    await runCell(kernel, real.keep(41));
    const cell = sendCell(kernel, real.printAndSpin("spinning"));
    await cell.output("spinning");
    expect((await interruptCell(kernel, cell)).status).not.toBe("ok");
    expect((await runCell(kernel, real.show)).text).toContain("41");
  });

  test("responds in a cell, but not while it is stopped, which is no death", async () => {
    const beats: boolean[] = [];
    const { beat } = KernelChannels.prototype;
    const spy = spyOn(KernelChannels.prototype, "beat").mockImplementation(async function (
      this: KernelChannels,
      timeout,
    ) {
      beats.push(await beat.call(this, timeout));
      return beats.at(-1)!;
    });
    const cell = sendCell(kernel, real.printAndSpin("spinning"));
    await until(() => beats.length >= 2);
    expect(beats).toContain(real.beatsWhileBusy);
    expect(kernel.responding).toBe(true);
    await stopProcess(kernel.pid);
    const before = beats.length;
    await until(() => beats.length >= before + 2);
    expect(kernel.responding).toBe(!real.beatsWhileBusy);
    process.kill(kernel.pid, "SIGCONT");
    await until(() => kernel.responding);
    spy.mockRestore();
    await interruptCell(kernel, cell);
    expect(kernel.responding).toBe(true);
    expect(kernel.status).toBe("idle");
  });

  test("restarts under its id with nothing kept, and takes what was sent meanwhile", async () => {
    const { id, pid } = kernel;
    const statuses: unknown[] = [];
    const unsubscribe = kernel.subscribe(({ header, parent_header, content }) => {
      if (header.msg_type === "status" && !parent_header.msg_id) statuses.push(content.execution_state);
    });
    const restarted = kernel.restart();
    expect(kernel.status).toBe("restarting");
    const run = runCell(kernel, real.show);
    await restarted;
    expect((await run).text).not.toContain("41");
    expect(kernel.id).toBe(id);
    expect(kernel.pid).not.toBe(pid);
    expect(isAlive(pid)).toBe(false);
    // ipykernel says `starting` by itself, sooner or later.
    expect(statuses.filter((status) => status !== "starting")).toEqual(["restarting", "idle"]);
    expect(kernel.status).toBe("idle");
    unsubscribe();
  });

  test("that is killed in a cell is dead at once, with the signal, and can be restarted", async () => {
    const cell = sendCell(kernel, real.printAndSpin("spinning"));
    await cell.output("spinning\n");
    process.kill(kernel.pid, "SIGKILL");
    const run = await cell.done;
    expect(run).toMatchObject({ status: "dead", text: "spinning\n" });
    expect(run.messages.at(-1)).toMatchObject({ channel: "iopub", parent_header: {} });
    expect(await kernel.exited).toMatchObject({ code: null, signal: "SIGKILL" });
    expect(kernel.status).toBe("dead");
    expect((await runCell(kernel, real.print("too late"))).status).toBe("dead");
    await kernel.restart();
    expect((await runCell(kernel, real.print("alive"))).text).toBe("alive\n");
  });

  test("leaves no process and no file when it is shut down, and shutting down twice is one", async () => {
    await Promise.all([kernel.shutdown(), kernel.shutdown()]);
    expect(kernel.status).toBe("dead");
    expect(isAlive(kernel.pid)).toBe(false);
    expect(host.connectionFiles()).toEqual([]);
  });
}

for (const real of REAL_KERNELS) describe.skipIf(!real.present)(real.title, () => describeLife(real));
