import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BINARY, temporaryFolder } from "../../test/nuthatch.ts";
import type { BenchRow, Contest } from "./row.ts";

const VENV = join(import.meta.dir, "..", "..", ".venv");

/** Whole processes on the same notebook, each on a copy of its own; ours saves the file after every cell. */
export const rows: BenchRow[] = [
  row("1 cell, ipykernel, cold", 1, "python3", 0.5),
  row("200 trivial cells, ipykernel", 200, "python3", 0.6),
  row("200 trivial cells, bundled kernel", 200, "bundled", 0.25),
];

function row(name: string, cells: number, kernel: string, share: number): BenchRow {
  return {
    name: `a notebook of ${name}`,
    unit: "s",
    bar: { words: `at most ${share} x jupyter execute`, limit: (peer) => share * peer },
    start: () => start(cells, kernel),
  };
}

async function start(count: number, kernel: string): Promise<Contest> {
  const home = temporaryFolder();
  const folder = join(home.path, "work");
  mkdirSync(folder);
  const notebook = JSON.stringify(notebookOf(count), null, 1);
  const env = {
    ...process.env,
    NUTHATCH_HOME: home.path,
    NUTHATCH_KERNEL: kernel,
    VIRTUAL_ENV: VENV,
    PATH: `${join(VENV, "bin")}:${process.env.PATH}`,
  };
  const timed = async (command: string[]) => {
    writeFileSync(join(folder, "n.ipynb"), notebook);
    const began = performance.now();
    const child = Bun.spawn(command, { cwd: folder, env, stdout: "ignore", stderr: "ignore" });
    if ((await child.exited) !== 0) throw new Error(`${command[0]} failed`);
    return (performance.now() - began) / 1000;
  };
  return {
    ours: () => timed([BINARY, "call", "run_notebook", '{"notebook_path":"n.ipynb"}', "--in-process"]),
    peer: () => timed([join(VENV, "bin", "jupyter"), "execute", "--inplace", "n.ipynb"]),
    [Symbol.asyncDispose]: async () => home[Symbol.dispose](),
  };
}

function notebookOf(count: number): unknown {
  const cells = Array.from({ length: count }, (_, index) => ({
    cell_type: "code",
    execution_count: null,
    id: `cell-${index}`,
    metadata: {},
    outputs: [],
    source: [`x = ${index}\n`, "print(x)"],
  }));
  const kernelspec = { display_name: "Python 3", language: "python", name: "python3" };
  return { cells, metadata: { kernelspec }, nbformat: 4, nbformat_minor: 5 };
}
