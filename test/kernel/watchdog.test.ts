import { afterEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createWatchdog } from "../../src/kernel/watchdog.ts";
import { findDirectories } from "../../src/paths.ts";
import { isAlive, until } from "./host.ts";
import { REAL_KERNELS } from "./real-kernels.ts";

const started: Bun.Subprocess[] = [];
const homes: string[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
  for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true });
});

const present = REAL_KERNELS.filter((real) => real.present && ["python3", "bundled", "ir"].includes(real.kernel));
const all = present.map((real) => real.kernel);
const variables = Object.assign({}, ...present.map((real) => real.variables));

/** Starts a process that owns these kernels, in a group of its own. */
async function startOwner(kernels: string[], prefix: string[] = []) {
  const script = join(import.meta.dir, "owner.ts");
  const words = [...prefix, process.execPath, script, JSON.stringify(variables), ...kernels];
  const child = Bun.spawn(words, { stdout: "pipe", stderr: "inherit", detached: true });
  started.push(child);
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  reader.releaseLock();
  const { home, pids } = JSON.parse(new TextDecoder().decode(value)) as { home: string; pids: number[] };
  homes.push(home);
  const owner = Number(/^\d+ \(.*\) \S (\d+)/s.exec(readFileSync(`/proc/${pids[0]}/stat`, "utf8"))![1]);
  return { owner, home, pids };
}

async function expectNothingLeft({ home, pids }: { home: string; pids: number[] }): Promise<void> {
  await until(() => !pids.some(isAlive));
  const { runtime } = findDirectories({ NUTHATCH_HOME: home });
  await until(() => [...new Bun.Glob("k[0-9]*-*").scanSync({ cwd: runtime, onlyFiles: false })].length === 0);
}

describe("kernels whose owner ends", () => {
  for (const signal of ["SIGTERM", "SIGHUP", "SIGINT"] as const) {
    test(`by ${signal} are gone with their children and connection files`, async () => {
      const owned = await startOwner(["bundled"]);
      expect(owned.pids.every(isAlive)).toBe(true);
      process.kill(owned.owner, signal);
      await expectNothingLeft(owned);
    });
  }

  test("by SIGKILL of its whole process group are gone, of whatever language they are", async () => {
    const owned = await startOwner(all);
    process.kill(-owned.owner, "SIGKILL");
    await expectNothingLeft(owned);
  });

  test("under a subreaper, where nobody becomes a child of init, are gone", async () => {
    const owned = await startOwner(all, ["/usr/bin/env", "python3", join(import.meta.dir, "subreaper.py")]);
    process.kill(owned.owner, "SIGKILL");
    await expectNothingLeft(owned);
  });
});

const programs = [...["/bin/dash", "/bin/bash", "/bin/busybox"].filter((path) => existsSync(path)), "python3"];

describe("a watchdog", () => {
  for (const program of programs) {
    test(`run by ${program} kills what it guards, spares what it was told to release, and removes its folder`, async () => {
      const folder = join(mkdtempSync(join(tmpdir(), "nuthatch watchdog-")), "connection files");
      homes.push(join(folder, ".."));
      mkdirSync(folder);
      const groups = Array.from({ length: 3 }, () => {
        const child = Bun.spawn(["sleep", "1000"], { detached: true });
        started.push(child);
        return child;
      });
      const python = program === "python3" ? Bun.which("python3")! : undefined;
      const watchdog = createWatchdog(folder, python ? [] : [program]);
      for (const group of groups) watchdog.guard(group.pid, python);
      watchdog.release(groups[1]!.pid);
      watchdog.release(999_999_999);
      await watchdog.close();
      expect(await groups[0]!.exited).toBe(137);
      expect(await groups[2]!.exited).toBe(137);
      expect(isAlive(groups[1]!.pid)).toBe(true);
      expect(existsSync(folder)).toBe(false);
    });
  }

  test("that is killed itself is followed by another, which guards the same", async () => {
    const folder = mkdtempSync(join(tmpdir(), "nuthatch-watchdog-"));
    homes.push(folder);
    const group = Bun.spawn(["sleep", "1000"], { detached: true });
    started.push(group);
    const watchdog = createWatchdog(folder);
    watchdog.guard(group.pid);
    await until(() => findWatchdog(folder) !== undefined);
    const first = findWatchdog(folder);
    await Bun.sleep(1100); // One that ends at once is not followed.
    process.kill(first as number, "SIGKILL");
    await until(() => ![undefined, first].includes(findWatchdog(folder)));
    expect(isAlive(group.pid)).toBe(true);
    await watchdog.close();
    expect(await group.exited).toBe(137);
  });
});

/** The watchdog of a folder, by the words that it was started with. */
function findWatchdog(folder: string): number | undefined {
  const processes = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const found = processes.find((pid) => readWords(pid).includes(`nuthatch-watchdog\0${folder}\0`));
  return found === undefined ? undefined : Number(found);
}

/** Nothing for a process that has just ended. */
function readWords(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
