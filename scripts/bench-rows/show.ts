import { existsSync } from "node:fs";
import { join } from "node:path";
import { BINARY, temporaryFolder } from "../../test/nuthatch.ts";
import type { BenchRow, Contest } from "./row.ts";

const ROOT = join(import.meta.dir, "..", "..");
const NOTEBOOK = join(ROOT, "..", "shared", "corpus", "notebooks", "66-cells-796.ipynb");

/** A long notebook rendered for a person, with colours, against its conversion to Markdown. Needs the corpus. */
export const rows: BenchRow[] = existsSync(NOTEBOOK)
  ? [
      {
        name: "nuthatch show of 796 cells, in colour; nbconvert --to markdown",
        unit: "ms",
        bar: { words: "at most 1/4 of the peer", limit: (peer) => peer / 4 },
        start,
      },
    ]
  : [];

async function start(): Promise<Contest> {
  const home = temporaryFolder();
  const env = { ...process.env, NUTHATCH_HOME: home.path, FORCE_COLOR: "3", NO_COLOR: undefined, COLUMNS: "100" };
  return {
    ours: () => time([BINARY, "show", NOTEBOOK], env),
    peer: () =>
      time([join(ROOT, ".venv", "bin", "jupyter"), "nbconvert", "--to", "markdown", "--stdout", NOTEBOOK], env),
    [Symbol.asyncDispose]: async () => home[Symbol.dispose](),
  };
}

async function time(command: string[], env: Record<string, string | undefined>): Promise<number> {
  const began = performance.now();
  const child = Bun.spawn(command, { env, stdout: "pipe", stderr: "ignore" });
  const output = await new Response(child.stdout).text();
  if ((await child.exited) !== 0 || output.length < 100_000) throw new Error(`${command.join(" ")} failed`);
  return performance.now() - began;
}
