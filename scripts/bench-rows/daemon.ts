import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BINARY, runNuthatch, temporaryFolder } from "../../test/nuthatch.ts";
import { type BenchRow, type Contest, median } from "./row.ts";

const ROOT = join(import.meta.dir, "..", "..");
const VENV = join(ROOT, ".venv", "bin");
const CALL = [BINARY, "call", "python", '{"cells":[{"code":"1"}]}'];

/** What a call costs from the shell, what the first one of all costs, and what the daemon holds while it waits. */
export const rows: BenchRow[] = [
  {
    name: "call python of 1, live session, bundled kernel, whole process",
    unit: "ms",
    bar: { words: "at most 5 x a compiled hello world + the kernel's round trip", limit: (allowance) => allowance },
    start: startLiveCall,
  },
  {
    name: "first call of all: daemon, bundled kernel, result",
    unit: "ms",
    bar: { words: "at most 1/5 of jupyter execute on one cell", limit: (peer) => peer / 5 },
    start: startFirstCall,
  },
  memoryRow("no session", 0, 120),
  memoryRow("4 bundled kernels, with them", 4, 220),
];

async function startLiveCall(): Promise<Contest> {
  const home = temporaryFolder();
  const env = { ...process.env, NUTHATCH_HOME: home.path, NUTHATCH_KERNEL: "bundled" };
  const hello = await compileHello(home.path);
  await runNuthatch(["kernelspec", "install", "--prefix", home.path], { home: home.path });
  const roundTrip = await measureRoundTrip(join(home.path, "share", "jupyter"));
  const timeOf = (words: string[]) => median(Array.from({ length: 40 }, () => timeProcess(words, home.path, env)));
  timeOf(CALL);
  return {
    ours: async () => timeOf(CALL),
    peer: async () => 5 * timeOf([hello]) + roundTrip,
    [Symbol.asyncDispose]: async () => home[Symbol.dispose](),
  };
}

async function startFirstCall(): Promise<Contest> {
  const folder = temporaryFolder();
  const notebook = join(folder.path, "one.ipynb");
  const cell = { cell_type: "code", id: "a", execution_count: null, metadata: {}, outputs: [], source: ["1"] };
  writeFileSync(notebook, JSON.stringify({ cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 5 }));
  return {
    ours: async () => {
      using home = temporaryFolder();
      const env = { ...process.env, NUTHATCH_HOME: home.path, NUTHATCH_KERNEL: "bundled" };
      return timeProcess(CALL, home.path, env);
    },
    peer: async () => timeProcess([join(VENV, "jupyter"), "execute", notebook], folder.path, process.env),
    [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
  };
}

function memoryRow(what: string, sessions: number, most: number): BenchRow {
  return {
    name: `memory of an idle daemon, ${what}`,
    unit: "MB",
    bar: { words: `at most ${most} MB`, limit: () => most },
    async start() {
      const home = temporaryFolder();
      const options = { home: home.path, env: { NUTHATCH_KERNEL: "bundled" } };
      for (const session of Array(Math.max(1, sessions)).keys()) {
        await runNuthatch([...CALL.slice(1), "--session", `s${session}`], options);
      }
      if (sessions === 0) await runNuthatch(["sessions", "stop", "s0"], options);
      const { pid } = JSON.parse((await runNuthatch(["status", "--json"], options)).stdout);
      return {
        ours: async () => residentTree(pid) / 1024,
        [Symbol.asyncDispose]: async () => home[Symbol.dispose](),
      };
    },
  };
}

/** Milliseconds from start to end of a process. */
function timeProcess(words: string[], cwd: string, env: NodeJS.ProcessEnv): number {
  const began = performance.now();
  const run = Bun.spawnSync(words, { cwd, env, stdin: "ignore", stdout: "ignore", stderr: "ignore" });
  if (run.exitCode !== 0) throw new Error(`${words[0]} ended with status ${run.exitCode}`);
  return performance.now() - began;
}

async function compileHello(folder: string): Promise<string> {
  const source = join(folder, "hello.ts");
  writeFileSync(source, 'console.log("hello");\n');
  const words = [
    "bun",
    "build",
    source,
    "--compile",
    "--minify",
    "--bytecode",
    "--format=esm",
    "--outfile",
    `${source}.out`,
  ];
  if (Bun.spawnSync(words, { stdout: "ignore" }).exitCode !== 0) throw new Error("hello world was not built");
  return `${source}.out`;
}

async function measureRoundTrip(jupyterPath: string): Promise<number> {
  const words = [join(VENV, "python"), join(import.meta.dir, "round-trip.py"), "nuthatch"];
  const env = { ...process.env, JUPYTER_PATH: jupyterPath };
  const child = Bun.spawn(words, { env, stderr: "ignore" });
  return Number(await new Response(child.stdout).text());
}

/** Resident kilobytes of a process and all below it. */
function residentTree(pid: number): number {
  const processes = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const parents = new Map(processes.map((name) => [Number(name), parentOf(name)]));
  const inTree = (one: number): boolean => one === pid || (one > 1 && inTree(parents.get(one) ?? 0));
  return [...parents.keys()].filter(inTree).reduce((sum, one) => sum + residentOf(one), 0);
}

function parentOf(pid: string): number {
  return Number(/\) \S (\d+)/.exec(readProcess(pid, "stat"))?.[1] ?? 0);
}

function residentOf(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readProcess(String(pid), "status"))?.[1] ?? 0);
}

/** A file of a process, empty when it has ended. */
function readProcess(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return "";
  }
}
