import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { GatewayClient } from "../../src/execute/gateway-client.ts";
import { PythonKernel } from "../../src/execute/python-kernel.ts";
import { createGateway } from "../../src/gateway/gateway.ts";
import { createKernelProvider } from "../../src/kernel/kernel-provider.ts";
import { divertConsole } from "../../src/log.ts";
import { findDirectories } from "../../src/paths.ts";
import { BINARY, temporaryFolder } from "../../test/nuthatch.ts";
import { type BenchRow, median } from "./row.ts";

const VENV = join(import.meta.dir, "..", "..", ".venv");
const PRINTED_BYTES = 100_000_000;
const PRINT = "for _ in range(100000): print('x' * 999)";
const DISPLAY = "from IPython.display import display\ndisplay({'text/plain': 'x' * 20_000_000}, raw=True)";
const ROUND_TRIPS = 500;
const WARM_UP = 50;

type Host = Awaited<ReturnType<typeof openHost>>;

/** The whole path: the executor's kernel, the client library, the gateway, ZMTP, the kernel's process; against jupyter_client. */
export const rows: BenchRow[] = [
  row("start to ready, ipykernel", "ms", atMost(0.65), (host) => timeStart(host, "python3"), "start"),
  row("start to ready, bundled kernel", "ms", atMostOf(50), (host) => timeStart(host, "bundled")),
  row("execute round trip, ipykernel", "ms", atMost(1.15), inKernel("python3", timeRoundTrip), "round-trip"),
  row("execute round trip, bundled kernel", "ms", atMostOf(0.6), inKernel("bundled", timeRoundTrip)),
  row("resident memory idle, bundled kernel", "MB", atMostOf(22), inKernel("bundled", readMemory)),
  row("print of 100 MB, ipykernel", "MB/s", atLeast(1), inKernel("python3", timePrint), "print"),
  row("print of 100 MB, bundled kernel", "MB/s", atLeast(1.4), inKernel("bundled", timePrint), "print"),
  row("memory of a kernel that printed 100 MB, bundled", "MB", atMostOf(30), inKernel("bundled", printMemory)),
  ourMemoryRow("ipykernel", "python3", 180),
  ourMemoryRow("bundled kernel", "bundled", 100),
  row("display_data of 20 MB, ipykernel", "ms", atMost(1.2), inKernel("python3", timeDisplay), "display"),
];

function atMost(factor: number): BenchRow["bar"] {
  return { words: `at most ${factor} x jupyter_client`, limit: (peer) => factor * peer };
}

function atLeast(factor: number): BenchRow["bar"] {
  return { words: `at least ${factor} x jupyter_client`, limit: (peer) => factor * peer, atLeast: true };
}

function atMostOf(limit: number): BenchRow["bar"] {
  return { words: `at most ${limit}`, limit: () => limit };
}

function row(
  name: string,
  unit: BenchRow["unit"],
  bar: BenchRow["bar"],
  ours: (host: Host) => Promise<number>,
  peer?: string,
): BenchRow {
  return {
    name,
    unit,
    bar,
    async start() {
      const host = await openHost();
      const contest = { ours: () => ours(host), [Symbol.asyncDispose]: host.close };
      return peer === undefined ? contest : { ...contest, peer: () => askPeer(peer) };
    },
  };
}

/** What the binary itself takes at most, daemon and all in one process; its kernel is not counted. */
function ourMemoryRow(words: string, kernel: string, most: number): BenchRow {
  return {
    name: `our memory while a cell prints 100 MB, ${words}`,
    unit: "MB",
    bar: atMostOf(most),
    async start() {
      const home = temporaryFolder();
      const env = { ...process.env, VIRTUAL_ENV: VENV, NUTHATCH_HOME: home.path, NUTHATCH_KERNEL: kernel };
      return {
        ours: () => peakOfCall(home.path, env),
        [Symbol.asyncDispose]: async () => home[Symbol.dispose](),
      };
    },
  };
}

async function peakOfCall(cwd: string, env: NodeJS.ProcessEnv): Promise<number> {
  const argv = [BINARY, "call", "python", JSON.stringify({ cells: [{ code: PRINT }], timeout: 300 }), "--in-process"];
  const child = Bun.spawn(argv, { cwd, env, stdin: "ignore", stdout: "pipe", stderr: "ignore" });
  const result = new Response(child.stdout).json();
  let peak = 0;
  for (; child.exitCode === null; await Bun.sleep(5)) peak = Math.max(peak, megabytesOf(child.pid, "VmHWM"));
  const { totalBytes } = (await result).details.meta;
  if (totalBytes !== PRINTED_BYTES) throw new Error(`${totalBytes} of ${PRINTED_BYTES} bytes arrived`);
  return peak;
}

async function openHost() {
  divertConsole();
  const home = temporaryFolder();
  const env = { ...process.env, VIRTUAL_ENV: VENV } as Record<string, string>;
  const directories = findDirectories({ NUTHATCH_HOME: home.path });
  const kernels = createKernelProvider({ directories, settings: {}, cwd: home.path, env });
  const gateway = createGateway({ kernels, cwd: home.path, env, spillFolder: join(home.path, "spill") });
  const client = new GatewayClient({ ...gateway.serverSettings, local: true });
  const start = (name: string) =>
    PythonKernel.start(client, { name, cwd: home.path, env, python: null }, new AbortController().signal);
  const close = async () => {
    await gateway.dispose();
    await kernels[Symbol.asyncDispose]();
    home[Symbol.dispose]();
  };
  // The first kernel loads the client library and asks the interpreter about itself.
  await (await start("bundled")).shutdown();
  await (await start("python3")).shutdown();
  return { start, client, close };
}

function inKernel(name: string, measure: (kernel: PythonKernel, host: Host) => Promise<number>) {
  return async (host: Host) => {
    const kernel = await host.start(name);
    const result = await measure(kernel, host);
    await kernel.shutdown();
    return result;
  };
}

async function timeStart(host: Host, name: string): Promise<number> {
  const began = performance.now();
  const kernel = await host.start(name);
  const took = performance.now() - began;
  await kernel.shutdown();
  return took;
}

async function timeRoundTrip(kernel: PythonKernel): Promise<number> {
  const times: number[] = [];
  for (let trip = 0; trip < WARM_UP + ROUND_TRIPS; trip++) {
    const began = performance.now();
    await run(kernel, "1");
    times.push(performance.now() - began);
  }
  return median(times.slice(WARM_UP));
}

/** MB/s; a byte that did not arrive is an error, not a slower row. */
async function timePrint(kernel: PythonKernel): Promise<number> {
  const began = performance.now();
  const arrived = await run(kernel, PRINT);
  const took = performance.now() - began;
  if (arrived !== PRINTED_BYTES) throw new Error(`${arrived} of ${PRINTED_BYTES} bytes arrived`);
  return PRINTED_BYTES / 1000 / took;
}

async function timeDisplay(kernel: PythonKernel): Promise<number> {
  const began = performance.now();
  await run(kernel, DISPLAY);
  return performance.now() - began;
}

async function printMemory(kernel: PythonKernel, host: Host): Promise<number> {
  await run(kernel, PRINT);
  return await readMemory(kernel, host, "VmHWM");
}

/** MB of the kernel's process: at present, or at most since its start. */
async function readMemory(kernel: PythonKernel, { client }: Host, field = "VmRSS"): Promise<number> {
  return megabytesOf((await client.findKernel(kernel.id))?.pid ?? 0, field);
}

/** 0 for a process that is no more. */
function megabytesOf(pid: number, field: string): number {
  const path = `/proc/${pid}/status`;
  const status = existsSync(path) ? readFileSync(path, "utf8") : "";
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024;
}

/** Runs code and gives how many characters its streams had. */
async function run(kernel: PythonKernel, code: string): Promise<number> {
  let length = 0;
  const execution = kernel.execute(code, {
    onInput() {},
    onOutput({ content }) {
      if ("text" in content && typeof content.text === "string") length += content.text.length;
    },
  });
  const end = await execution.done;
  if (end.status !== "ok") throw new Error(`the cell ended as ${end.status}`);
  return length;
}

async function askPeer(work: string): Promise<number> {
  const argv = [join(VENV, "bin", "python"), join(import.meta.dir, "jupyter-client.py"), work];
  const child = Bun.spawn(argv, { stdout: "pipe", stderr: "ignore" });
  return Number(await new Response(child.stdout).text());
}
