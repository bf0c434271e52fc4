import { randomBytes } from "node:crypto";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BINARY, temporaryFolder } from "../../test/nuthatch.ts";
import { type BenchRow, type Contest, median } from "./row.ts";

const ROOT = join(import.meta.dir, "..", "..");
const PYTHON = join(ROOT, ".venv", "bin", "python");
const NBFORMAT = join(import.meta.dir, "edit-notebook.py");

/** One cell edited from the shell, the fsync included, against nbformat's read and write of the same file. */
export const rows: BenchRow[] = [
  {
    name: "edit a cell of 100 MB, 100 images, whole process; nbformat",
    unit: "ms",
    bar: { words: "at most 1/6 of the peer", limit: (peer) => peer / 6 },
    start: () => startEdit(hundredImages()),
  },
  {
    name: "edit a cell of 100 MB: peak memory; the file's size",
    unit: "MB",
    bar: { words: "at most 2.5 x the file", limit: (size) => 2.5 * size },
    start: () => startMemory(hundredImages()),
  },
  {
    name: "edit one of 5,000 cells, 8 MB, whole process; nbformat",
    unit: "ms",
    bar: { words: "at most 1/12 of the peer", limit: (peer) => peer / 12 },
    start: () => startEdit(cells(5000, 18, 12)),
  },
  {
    name: "nuthatch call notebook, edit of 20 KB; a compiled hello world",
    unit: "ms",
    bar: { words: "at most 4 x the peer", limit: (peer) => 4 * peer },
    start: startSmallEdit,
  },
];

async function startEdit(notebook: string): Promise<Contest> {
  const folder = temporaryFolder();
  const path = write(folder.path, notebook);
  let edits = 0;
  return {
    ours: async () => run(edit(path, `edited = ${++edits}`)),
    peer: async () => run([PYTHON, NBFORMAT, path, "20", `edited = ${++edits}`]),
    [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
  };
}

async function startMemory(notebook: string): Promise<Contest> {
  const folder = temporaryFolder();
  const path = write(folder.path, notebook);
  let edits = 0;
  return {
    ours: async () => peakMegabytes(edit(path, `edited = ${++edits}`)),
    peer: async () => statSync(path).size / 1e6,
    [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
  };
}

async function startSmallEdit(): Promise<Contest> {
  const folder = temporaryFolder();
  const path = write(folder.path, cells(45, 3, 3));
  const hello = compileHello(folder.path);
  let edits = 0;
  const timeOf = (words: () => string[]) => median(Array.from({ length: 40 }, () => run(words())));
  return {
    ours: async () => timeOf(() => edit(path, `edited = ${++edits}`)),
    peer: async () => timeOf(() => [hello]),
    [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
  };
}

function edit(path: string, content: string): string[] {
  const input = { action: "edit", notebook_path: path, cell_index: 20, content };
  return [BINARY, "call", "notebook", JSON.stringify(input)];
}

/** Milliseconds from start to end of a process. */
function run(command: string[]): number {
  const began = performance.now();
  const { success, stderr } = Bun.spawnSync(command, { stdout: "ignore", stderr: "pipe" });
  if (!success) throw new Error(`${command.slice(0, 3).join(" ")} failed: ${stderr}`);
  return performance.now() - began;
}

/** Started by a small process: until it becomes the command, a child counts its parent's memory as its own. */
function peakMegabytes(command: string[]): number {
  const script =
    "import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)";
  const { success, stdout } = Bun.spawnSync([PYTHON, "-c", script, ...command]);
  if (!success) throw new Error("the edit failed");
  return (Number(stdout.toString()) * 1024) / 1e6;
}

function compileHello(folder: string): string {
  const source = join(folder, "hello.ts");
  const hello = join(folder, "hello");
  writeFileSync(source, 'console.log("hello");\n');
  run(["bun", "build", source, "--compile", "--minify", "--bytecode", "--format=esm", "--outfile", hello]);
  return hello;
}

function write(folder: string, notebook: string): string {
  const path = join(folder, "bench.ipynb");
  writeFileSync(path, notebook);
  return path;
}

function hundredImages(): string {
  return notebookOf(100, () => [
    {
      data: { "image/png": randomBytes(786_000).toString("base64"), "text/plain": ["<Figure>"] },
      metadata: {},
      output_type: "display_data",
    },
  ]);
}

function cells(count: number, sourceLines: number, outputLines: number): string {
  const text = Array.from({ length: outputLines }, (_, line) => `line ${line} of the text that the cell printed\n`);
  return notebookOf(count, () => [{ name: "stdout", output_type: "stream", text }], sourceLines);
}

function notebookOf(count: number, outputs: () => unknown[], sourceLines = 2): string {
  const source = Array.from(
    { length: sourceLines },
    (_, line) => `value_${line} = compute(${line}, 'name')  # a note\n`,
  );
  const list = Array.from({ length: count }, (_, index) => ({
    cell_type: "code",
    execution_count: index,
    id: `cell-${index}`,
    metadata: {},
    outputs: outputs(),
    source,
  }));
  const kernelspec = { display_name: "Python 3", language: "python", name: "python3" };
  return `${JSON.stringify({ cells: list, metadata: { kernelspec }, nbformat: 4, nbformat_minor: 5 }, null, 1)}\n`;
}
