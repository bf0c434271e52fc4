import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DaemonConnection } from "../../src/daemon/connection.ts";
import { daemonFiles } from "../../src/daemon/daemon-files.ts";
import { findDirectories } from "../../src/paths.ts";
import { loadSettings } from "../../src/settings.ts";
import type { ToolResult } from "../../src/tools/tool.ts";
import { callTool, temporaryFolder } from "../../test/nuthatch.ts";
import type { BenchRow, Contest } from "./row.ts";

const VENV = join(import.meta.dir, "..", "..", ".venv");
/** A process that has used no time for so long has nothing left to do. Milliseconds. */
const SETTLED = 400;

/** What a client of the daemon waits for its first result when a spare is ready, the prelude included. */
export const rows: BenchRow[] = ["new session", "reset"].flatMap((what) => [
  row(what, "ipykernel", "python3", 40),
  row(what, "bundled kernel", "bundled", 10),
]);

function row(what: string, name: string, kernel: string, limit: number): BenchRow {
  return {
    name: `${what} with a warm spare, in the daemon, ${name}`,
    unit: "ms",
    bar: { words: `at most ${limit} ms; the peer is jupyter_client's start of ipykernel`, limit: () => limit },
    start: () => start(what, kernel),
  };
}

async function start(what: string, kernel: string): Promise<Contest> {
  const home = temporaryFolder();
  const environment = { ...process.env, NUTHATCH_HOME: home.path, NUTHATCH_KERNEL: kernel, VIRTUAL_ENV: VENV };
  const { config, runtime } = findDirectories(environment);
  const { settings } = loadSettings({ environment, configDirectory: config });
  await callTool("python", { cells: ["1"] }, { home: home.path, env: environment });
  const daemon = await DaemonConnection.open(daemonFiles(runtime).socket);
  if (daemon === undefined) throw new Error("the daemon is gone");
  const time = async (input: object) => {
    await settle(home.path);
    const options = { cwd: home.path, environment, settings };
    const began = performance.now();
    const params = { name: "python", input: { cells: ["read.__name__"], ...input }, options, updates: false };
    const { content, isError } = (await daemon.request("callTool", params)) as ToolResult;
    const took = performance.now() - began;
    if (isError) throw new Error(`the first cell found no prelude: ${JSON.stringify(content)}`);
    return took;
  };
  let sessions = 0;
  return {
    ours: () => time(what === "reset" ? { reset: true } : { session: `s${sessions++}` }),
    peer: async () => {
      const child = Bun.spawn([join(VENV, "bin/python"), join(import.meta.dir, "jupyter-client.py"), "start"], {
        stderr: "ignore",
      });
      return Number(await new Response(child.stdout).text());
    },
    async [Symbol.asyncDispose]() {
      daemon.close();
      home[Symbol.dispose]();
    },
  };
}

/** Waits until the kernels of a home, the spare among them, have been idle for a while. */
async function settle(home: string): Promise<void> {
  let [used, since] = ["", performance.now()];
  while (performance.now() - since < SETTLED) {
    await Bun.sleep(20);
    const now = readdirSync("/proc")
      .flatMap((pid) => timeOf(pid, home))
      .join();
    if (now !== used) [used, since] = [now, performance.now()];
  }
}

/** A kernel's process with the processor time that it has used; nothing for other processes. */
function timeOf(pid: string, home: string): string[] {
  try {
    const words = readFileSync(`/proc/${Number(pid)}/cmdline`, "utf8").split("\0");
    if (!words.some((word) => word.startsWith(home) && word.endsWith(".json"))) return [];
    const [user, system] = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]!.split(" ").slice(11, 13);
    return [`${pid}:${user}+${system}`];
  } catch {
    return [];
  }
}
