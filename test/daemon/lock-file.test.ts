import { expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lockFile, tryLockFile } from "../../src/daemon/lock-file.ts";
import { errorCode } from "../../src/errors.ts";
import { temporaryFolder } from "../nuthatch.ts";

const LOCK_MODULE = join(import.meta.dir, "..", "..", "src", "daemon", "lock-file.ts");

/** A process that runs `body`, with the lock module's functions at hand, and reports on its standard output. */
function startProcess(body: string) {
  const script = `import { lockFile, tryLockFile } from ${JSON.stringify(LOCK_MODULE)};\n${body}`;
  return Bun.spawn([process.execPath, "-e", script], { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  for await (const chunk of stream) return new TextDecoder().decode(chunk).trim();
  return "";
}

test("a held lock excludes this process and others, and leaves no file behind when it is released", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "a.lock");
  const lock = tryLockFile(path);
  expect(lock).toBeDefined();
  expect(tryLockFile(path)).toBeUndefined();
  const other = startProcess(`console.log(await tryLockFile(${JSON.stringify(path)}) === undefined);`);
  expect(await firstLine(other.stdout)).toBe("true");
  lock?.release();
  lock?.release();
  expect(existsSync(path)).toBe(false);
  using again = tryLockFile(path);
  expect(again).toBeDefined();
});

test("a wait ends with the code locked after its timeout, or with the signal's reason", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "a.lock");
  using _held = await lockFile(path, { timeout: 0 });
  expect(await lockFile(path, { timeout: 0.02 }).catch(errorCode)).toBe("locked");
  const signal = AbortSignal.abort(new Error("enough"));
  expect(lockFile(path, { timeout: 60, signal })).rejects.toThrow("enough");
});

test("the lock of a killed process is free at once, even while a child of it lives on", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "a.lock");
  const owner = startProcess(`
    await lockFile(${JSON.stringify(path)}, { timeout: 5 });
    const child = Bun.spawn(["sleep", "60"]);
    console.log(child.pid);
    await child.exited;`);
  const child = Number(await firstLine(owner.stdout));
  expect(tryLockFile(path)).toBeUndefined();
  owner.kill("SIGKILL");
  await owner.exited;
  using lock = tryLockFile(path);
  expect(lock).toBeDefined();
  process.kill(child, "SIGKILL");
});

test("a lock that is handed over stays held until the child that inherited it ends", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "a.lock");
  const lock = await lockFile(path, { timeout: 0 });
  const child = Bun.spawn(["cat"], { stdio: ["pipe", "pipe", "inherit", lock.descriptor] });
  lock.handOver();
  expect(tryLockFile(path)).toBeUndefined();
  child.stdin.end();
  await child.exited;
  using free = tryLockFile(path);
  expect(free).toBeDefined();
});

test("eight processes that add to one number under the lock lose no addition", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "a.lock");
  const number = join(folder.path, "number");
  writeFileSync(number, "0");
  const workers = Array.from({ length: 8 }, () =>
    startProcess(`
      import { readFileSync, writeFileSync } from "node:fs";
      for (let round = 0; round < 25; round++) {
        using lock = await lockFile(${JSON.stringify(path)}, { timeout: 50 });
        const value = Number(readFileSync(${JSON.stringify(number)}, "utf8"));
        await Bun.sleep(0);
        writeFileSync(${JSON.stringify(number)}, String(value + 1));
      }`),
  );
  expect(await Promise.all(workers.map((worker) => worker.exited))).toEqual(Array(8).fill(0));
  expect(readFileSync(number, "utf8")).toBe("200");
  expect(existsSync(path)).toBe(false);
});
