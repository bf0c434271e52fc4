import { afterEach, describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../kernel/host.ts";
import { REAL_KERNELS, type RealKernel } from "../kernel/real-kernels.ts";
import { BINARY, temporaryFolder } from "../nuthatch.ts";

const SUBREAPER = ["/usr/bin/env", "python3", join(import.meta.dir, "..", "kernel", "subreaper.py")];
const present = REAL_KERNELS.filter((real) => real.present);
const started: Bun.Subprocess[] = [];

afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

function makeHome() {
  const home = temporaryFolder();
  for (const { kernel, spec } of present) {
    const folder = join(home.path, "jupyter", "kernels", kernel);
    mkdirSync(folder, { recursive: true });
    if (spec) {
      writeFileSync(join(folder, "kernel.json"), JSON.stringify({ display_name: kernel, language: "python", ...spec }));
    }
  }
  return home;
}

/** Starts a program and waits until it has written `text`; gives the process of the binary, below a subreaper its child. */
async function startUntil(text: string, words: string[], home: string, real?: RealKernel): Promise<number> {
  const own = {
    NUTHATCH_HOME: home,
    NUTHATCH_KERNEL: real?.kernel,
    JUPYTER_PATH: join(home, "jupyter"),
    NUTHATCH_MAX_SESSIONS: "8",
  };
  const env = { ...process.env, VIRTUAL_ENV: undefined, ...real?.variables, ...own };
  const child = Bun.spawn(words, { cwd: home, env, stdout: "pipe", stderr: "ignore" });
  started.push(child);
  let written = "";
  for await (const piece of child.stdout) {
    written += Buffer.from(piece).toString();
    if (written.includes(text)) break;
  }
  expect(written).toContain(text);
  const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "latin1");
  return words[0] === BINARY ? child.pid : Number.parseInt(children, 10);
}

/** Runs a cell that works for ever, once it has begun. */
async function startCell(real: RealKernel, home: string, prefix: string[], words: string[]): Promise<number> {
  const input = { cells: [{ code: real.printAndSpin("begun") }], session: real.kernel, timeout: 600 };
  const call = [...prefix, BINARY, "call", "python", JSON.stringify(input), "--stream", ...words];
  return await startUntil("begun", call, home, real);
}

/** The kernels of an owner, and what they have started. What has ended has no environment any more. */
function kernelsOf(owner: number): string[] {
  return readdirSync("/proc").filter(
    (name) => /^\d+$/.test(name) && readEnvironment(name).includes(`JPY_PARENT_PID=${owner}`),
  );
}

function readEnvironment(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
  } catch {
    return [];
  }
}

for (const [where, prefix] of [
  ["", []],
  [" below a subreaper", SUBREAPER],
] as [string, string[]][]) {
  describe(`SIGKILL of the binary${where}`, () => {
    test("as a daemon ends its spare and its busy kernels of every language", async () => {
      using home = makeHome();
      const serve = [...prefix, BINARY, "serve", "--port", "0", "--json"];
      const daemon = await startUntil("token", serve, home.path);
      for (const real of present) await startCell(real, home.path, [], []);
      expect(kernelsOf(daemon).length).toBeGreaterThanOrEqual(present.length);
      process.kill(daemon, "SIGKILL");
      await until(() => kernelsOf(daemon).length === 0);
    });

    for (const real of present) {
      test(`with a kernel of its own ends it: ${real.title}`, async () => {
        using home = makeHome();
        const owner = await startCell(real, home.path, prefix, ["--in-process"]);
        expect(kernelsOf(owner).length).toBeGreaterThan(0);
        process.kill(owner, "SIGKILL");
        await until(() => kernelsOf(owner).length === 0);
      });
    }
  });
}
