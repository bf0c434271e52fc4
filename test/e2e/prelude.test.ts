// The helpers of cells, the user's modules and the warm spare, in the compiled binary.
import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { callTool, type RunOptions, runNuthatch, temporaryFolder } from "../nuthatch.ts";

const BUNDLED = { NUTHATCH_KERNEL: "bundled" };

const runCells = (cells: string[], options: RunOptions, words: string[] = []) =>
  callTool("python", { cells }, { ...options, env: { ...BUNDLED, ...options.env } }, words);

describe("helpers", () => {
  test("send their events into the details, and leave the text to what they print", async () => {
    using home = temporaryFolder();
    const { text, result } = await runCells(["write('a.txt', 'x\\n')", "read('a.txt')"], { home: home.path }, [
      "--in-process",
    ]);
    expect(text).toBe("[1/2]\nwrote a.txt (2 bytes)\n[2/2]\nx\n");
    expect(result.details.statusEvents).toEqual([
      { op: "write", path: "a.txt", created: true, bytes: 2 },
      { op: "read", path: "a.txt", characters: 2, lines: 1 },
    ]);
    expect(result.details.outputs).toEqual([]);
  });

  test("output reads what an earlier call was cut of, by the id that its notice gives", async () => {
    using home = temporaryFolder();
    const options = { home: home.path };
    const long = await runCells(["for i in range(20000): print('line', i)"], options);
    const [, id] = /output\("(\d+)"\)/.exec(long.text) ?? [];
    expect(long.result.details.meta.artifactId).toBe(id as string);
    const { text } = await runCells([`output("${id}", offset=2, limit=2)`, `output()[-1]["id"]`], options);
    expect(text).toStartWith("[1/2]\nline 1\nline 2\n[2/2]\n");
    expect(text).toEndWith(`'${id}'\n`);
  });

  test("are not there with --prelude false", async () => {
    using home = temporaryFolder();
    const { result } = await runCells(["read"], { home: home.path }, ["--in-process", "--prelude", "false"]);
    expect(result.details.error.name).toBe("NameError");
  });
});

test("modules come from the configuration directory, then from a project once it is trusted, and a broken one is told", async () => {
  using home = temporaryFolder();
  using project = temporaryFolder();
  const [own, theirs] = [join(home.path, "config/modules"), join(project.path, ".nuthatch/modules")];
  for (const folder of [own, theirs]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(own, "greet.py"), "def greet(): return 'mine'\ndef both(): return lines('a\\nb', quiet=True)\n");
  writeFileSync(join(own, "other.py"), "def other(): return greet() + '!'\n");
  writeFileSync(join(theirs, "greet.py"), "def greet(): return 'the project'\n");
  writeFileSync(join(theirs, "broken.py"), "x = 1\nraise ValueError('no good')\n");
  const options = { home: home.path, cwd: join(project.path) };
  const before = await runCells(["[greet(), both()]"], options, ["--in-process"]);
  expect(before.text).toBe("['mine', ['a', 'b']]\n");
  expect(before.result.details.diagnostics).toEqual([]);
  await runNuthatch(["trust"], options);
  const after = await runCells(["[greet(), other(), 'both' in globals(), 'x' in globals()]"], options, [
    "--in-process",
  ]);
  expect(after.text).toBe("['the project', 'the project!', False, False]\n");
  const broken = { source: join(theirs, "broken.py"), message: "ValueError: no good", line: 2 };
  expect(after.result.details.diagnostics).toEqual([broken]);
  expect(after.result.isError).toBe(false);
  const piped = await runNuthatch(["python", "-c", "other()", "--in-process"], options);
  expect(piped).toEqual({
    exitCode: 0,
    stdout: "'the project!'\n",
    stderr: `nuthatch: warning: ${broken.source}:2: ValueError: no good\n`,
  });
});

describe("the warm spare of the daemon", () => {
  /** Kernel processes of a home's daemon, by their connection files. */
  const kernelPids = (home: string) =>
    readdirSync("/proc").filter((pid) => {
      try {
        const words = readFileSync(`/proc/${Number(pid)}/cmdline`, "utf8").split("\0");
        return words.some((word) => word.startsWith(home) && word.endsWith(".json"));
      } catch {
        return false;
      }
    });
  const PID = "import os; print(os.getpid())";
  async function awaitKernels(home: string, count: number): Promise<string[]> {
    for (;;) {
      const pids = kernelPids(home);
      if (pids.length === count) return pids;
      await Bun.sleep(5);
    }
  }

  test("is taken by a new session, is in no list and no limit, and goes with a killed daemon", async () => {
    using home = temporaryFolder();
    const options = { home: home.path, env: { NUTHATCH_MAX_SESSIONS: "1" } };
    const first = (await runCells([PID], options, ["--session", "a"])).text.trim();
    const spare = (await awaitKernels(home.path, 2)).find((pid) => pid !== first);
    const { sessions } = JSON.parse((await runNuthatch(["sessions", "list", "--json"], options)).stdout);
    expect(sessions.map(({ name }: { name: string }) => name)).toEqual(["a"]);
    const cells = [
      PID,
      "sorted(name for name in globals() if name in ('os', 'move', 'read'))",
      "__import__('os').getcwd()",
    ];
    const { text } = await runCells(cells, options, ["--session", "b"]);
    expect(text).toBe(`[1/3]\n${spare}\n[2/3]\n['os', 'read']\n[3/3]\n'${home.path}'\n`);
    await awaitKernels(home.path, 2);
    const { pid } = JSON.parse((await runNuthatch(["status", "--json"], options)).stdout);
    process.kill(pid, "SIGKILL");
    await awaitKernels(home.path, 0);
  });

  test("is none with warmKernels 0", async () => {
    using home = temporaryFolder();
    const options = { home: home.path, env: { NUTHATCH_WARM_KERNELS: "0" } };
    const first = (await runCells([PID], options)).text.trim();
    // Longer than the daemon would wait before it starts one.
    await runCells(["__import__('time').sleep(1)"], options);
    const second = (await runCells([PID], options, ["--session", "later"])).text.trim();
    expect(kernelPids(home.path).sort()).toEqual([first, second].sort());
    expect(second).not.toBe(first);
  });
});
