import { join } from "node:path";
import { connectMcp } from "../../test/mcp-client.ts";
import { runNuthatch, temporaryFolder } from "../../test/nuthatch.ts";
import { type BenchRow, type Contest, median } from "./row.ts";

const ROOT = join(import.meta.dir, "..", "..");
const PYTHON = join(ROOT, ".venv", "bin", "python");

/** A call of `python` in a live session from the official client, against the kernel's own round trip by jupyter_client. */
export const rows: BenchRow[] = [
  row("ipykernel", "python3", { NUTHATCH_KERNEL: "python3", VIRTUAL_ENV: join(ROOT, ".venv") }),
  row("bundled kernel", "nuthatch", { NUTHATCH_KERNEL: "bundled" }),
];

function row(name: string, kernelspec: string, env: Record<string, string>): BenchRow {
  return {
    name: `MCP python call of 1, live session, ${name}`,
    unit: "ms",
    bar: { words: "at most 1.3 x the kernel's round trip + 2 ms", limit: (peer) => 1.3 * peer + 2 },
    start: () => start(kernelspec, env),
  };
}

async function start(kernelspec: string, env: Record<string, string>): Promise<Contest> {
  const home = temporaryFolder();
  await runNuthatch(["kernelspec", "install", "--prefix", home.path], { home: home.path });
  const connection = await connectMcp({ home: home.path, env });
  return {
    ours: async () => {
      const times: number[] = [];
      for (let call = 0; call < 350; call++) {
        const began = performance.now();
        await connection.client.callTool({ name: "python", arguments: { cells: [{ code: "1" }] } });
        times.push(performance.now() - began);
      }
      return median(times.slice(50));
    },
    peer: async () => {
      const script = join(import.meta.dir, "round-trip.py");
      const jupyterPath = { JUPYTER_PATH: join(home.path, "share", "jupyter") };
      const child = Bun.spawn([PYTHON, script, kernelspec], {
        env: { ...process.env, ...jupyterPath },
        stderr: "ignore",
      });
      return Number(await new Response(child.stdout).text());
    },
    [Symbol.asyncDispose]: async () => {
      await connection[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}
