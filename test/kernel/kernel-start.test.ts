import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { NuthatchError } from "../../src/errors.ts";
import { createTestHost, isAlive, type TestHost, until } from "./host.ts";

let host: TestHost;
beforeAll(() => {
  host = createTestHost({}, { startTimeout: 500 });
});
afterAll(() => host[Symbol.asyncDispose]());

/** The error of a start that must fail. */
async function failure(kernel: string, spec?: Record<string, unknown>): Promise<NuthatchError> {
  if (spec) host.addSpec(kernel, spec);
  const error = await host.start(kernel).catch((reason) => reason);
  expect(error).toBeInstanceOf(NuthatchError);
  expect(host.connectionFiles()).toEqual([]);
  return error;
}

function program(name: string, content: string, mode: number): string {
  const path = join(host.home, name);
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
}

describe("a kernel that does not start", () => {
  test("and exits is an error with its exit code and its last words", async () => {
    const code = "import sys; sys.stderr.write('boom\\n'); sys.exit(3)";
    const error = await failure("exits", { argv: ["python", "-c", code, "{connection_file}"] });
    expect(error).toMatchObject({
      code: "kernel_start_failed",
      message: "Kernel exits exited with code 3 while starting:\nboom",
      data: { kernel: "exits", code: 3, signal: null, stderr: "boom\n" },
    });
    expect(error.hint).toContain("nuthatch doctor");
  });

  test("and is killed is an error with the signal's name", async () => {
    const error = await failure("killed", { argv: ["sh", "-c", "echo last words; kill -SEGV $$"] });
    expect(error.message).toBe("Kernel killed was killed by SIGSEGV while starting:\nlast words");
    expect(error.data).toMatchObject({ code: null, signal: "SIGSEGV" });
  });

  test("because its program is missing, names the program", async () => {
    const error = await failure("missing", { argv: ["/nowhere/kernel", "{connection_file}"] });
    expect(error.message).toBe("Kernel missing cannot start: its program /nowhere/kernel is not there");
    const bare = await failure("bare", { argv: ["no-such-kernel", "{connection_file}"] });
    expect(bare.message).toBe("Kernel bare cannot start: its program no-such-kernel is not there");
  });

  test("because its program is not executable, says so", async () => {
    const path = program("plain", "#!/bin/sh\n", 0o600);
    const error = await failure("plain", { argv: [path, "{connection_file}"] });
    expect(error.message).toBe(`Kernel plain cannot start: ${path} is not executable`);
  });

  test("because its program is for another machine, says what the system says", async () => {
    const elf = Buffer.alloc(128);
    elf.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
    elf.writeUInt16LE(2, 16);
    elf.writeUInt16LE(0xf3, 18);
    const error = await failure("foreign", { argv: [program("foreign-program", elf.toString("latin1"), 0o700)] });
    expect(error.code).toBe("kernel_start_failed");
    expect(error.message).toMatch(/^Kernel foreign cannot start: /);
  });

  test("and never answers is ended with all its children when its time is up", async () => {
    const pids = join(host.home, "pids");
    const script = `sleep 1000 & echo $$ $! > ${pids}; exec sleep 1000`;
    const error = await failure("silent", { argv: ["sh", "-c", script] });
    expect(error.message).toBe("Kernel silent did not answer within 0.5 s");
    const started = (await Bun.file(pids).text()).trim().split(" ").map(Number);
    expect(started).toHaveLength(2);
    await until(() => !started.some(isAlive));
  });

  test("and was given up by its caller is gone when the start ends", async () => {
    const pidFile = join(host.home, "pid");
    host.addSpec("slow", { argv: ["sh", "-c", `echo $$ > ${pidFile}; exec sleep 1000`] });
    const stop = new AbortController();
    const start = host.start("slow", stop.signal).catch((reason) => reason);
    await until(() => Bun.file(pidFile).size > 0);
    stop.abort(new Error("given up"));
    expect((await start).message).toBe("given up");
    expect(isAlive(Number(await Bun.file(pidFile).text()))).toBe(false);
    expect(host.connectionFiles()).toEqual([]);
  });

  test("because nobody knows its name, lists the names there are", async () => {
    host.addSpec("known", { argv: ["sh"] });
    const error = await failure("Unknown-Kernel");
    expect(error.code).toBe("kernelspec_not_found");
    expect(error.message).toStartWith('No kernelspec named "Unknown-Kernel"; there are: python3, nuthatch, ');
    expect(error.data!.known).toContain("known");
    expect(error.hint).toContain("nuthatch kernelspec list");
  });

  test("because its folder is missing, fails before any process starts", async () => {
    const cwd = join(host.home, "no", "folder");
    const error = await host.provider.start({ kernel: "bundled", cwd, env: host.env }).catch((reason) => reason);
    expect(error).toMatchObject({ code: "cwd_not_found", message: `Working directory does not exist: ${cwd}` });
  });

  test("because there is no Python at all, says where it was looked for", async () => {
    const env = { ...host.env, PATH: "/nowhere", VIRTUAL_ENV: join(host.home, "gone") };
    const error = await host.provider.start({ kernel: "auto", cwd: host.home, env }).catch((reason) => reason);
    expect(error).toMatchObject({ code: "python_not_found", message: "No Python found" });
    expect(error.hint).toContain("install python3");
  });
});
