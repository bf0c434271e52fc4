// The main job on the compiled binary: edit, run, execute, on a bare host and with ipykernel.
import { expect, test } from "bun:test";
import { copyFileSync, existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { callTool, type RunOptions, runNuthatch, temporaryFolder } from "../nuthatch.ts";

const ROOT = join(import.meta.dir, "..", "..");
const VENV = join(ROOT, ".venv");
const SAMPLE = join(ROOT, "test", "samples", "tour.ipynb");
const MADE_BY_JUPYTER = join(ROOT, "..", "shared", "corpus", "notebooks", "11-timings.ipynb");
const hasVenv = existsSync(join(VENV, "bin", "python"));
const withVenv = test.skipIf(!hasVenv);

/** Only an interpreter without ipykernel on PATH, and no environment activated. */
function bareHost(home: string): RunOptions {
  const found = Bun.spawnSync(["python3", "-c", "import sys; print(sys._base_executable)"]).stdout.toString().trim();
  const bin = join(home, "bin");
  Bun.spawnSync(["mkdir", "-p", bin]);
  symlinkSync(found, join(bin, "python3"));
  return { home, env: { PATH: bin, VIRTUAL_ENV: undefined, CONDA_PREFIX: undefined } };
}

function activated(home: string): RunOptions {
  return { home, env: { PATH: `${join(VENV, "bin")}:${process.env.PATH}`, VIRTUAL_ENV: VENV } };
}

/** What nbformat says of a file: its code cells' execution counts, or the error. */
function readByNbformat(path: string): string {
  const script =
    "import nbformat, sys; nb = nbformat.read(sys.argv[1], as_version=4); nbformat.validate(nb); " +
    "print([c.execution_count for c in nb.cells if c.cell_type == 'code'])";
  const run = Bun.spawnSync([join(VENV, "bin", "python"), "-W", "error", "-c", script, path]);
  return run.stdout.toString().trim() || run.stderr.toString();
}

test("a bare host runs cells in the bundled kernel, with state from one to the next", async () => {
  using home = temporaryFolder();
  const cells = [{ code: "x=20" }, { code: "print(x*2); x+2" }];
  const { exitCode, result } = await callTool("python", { cells }, bareHost(home.path), ["--in-process"]);
  expect(exitCode).toBe(0);
  expect(result.details.kernel).toBe("nuthatch");
  expect(result.details.cells.map((cell: { output: string }) => cell.output)).toEqual(["", "40\n22\n"]);
});

withVenv("an activated environment runs cells in its ipykernel, magics included", async () => {
  using home = temporaryFolder();
  const cells = ["%timeit -n 1 -r 1 pass", "!echo hi", "import asyncio\nawait asyncio.sleep(0)\n'awaited'"];
  const { result } = await callTool("python", { cells }, activated(home.path), ["--in-process"]);
  expect(result.details.kernel).toBe("python3");
  const outputs = result.details.cells.map((cell: { output: string }) => cell.output);
  expect(outputs[0]).toContain("per loop");
  expect(outputs.slice(1)).toEqual(["hi\n", "'awaited'\n"]);
});

test.each(["bundled", "auto"])(
  "streamed updates of the kernel %s put together are the result's text",
  async (kernel) => {
    if (kernel === "auto" && !hasVenv) return;
    using home = temporaryFolder();
    const cells = ["import time\nfor i in range(4):\n  print(i, flush=True)\n  time.sleep(0.1)", "'two'", "1/0", "3"];
    const run = await runNuthatch(
      ["call", "python", JSON.stringify({ cells }), "--stream", "--in-process", "--kernel", kernel],
      kernel === "auto" ? activated(home.path) : { home: home.path },
    );
    const events = run.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const result = events.pop();
    const text = (event: { content: { text: string }[] }) => event.content.map((block) => block.text).join("");
    expect(run.exitCode).toBe(1);
    expect(result.event).toBe("result");
    expect(events.length).toBeGreaterThan(3);
    expect(events.map(text).join("")).toBe(text(result));
    expect(result.details.cells.map((cell: { status: string }) => cell.status)).toEqual([
      "complete",
      "complete",
      "error",
      "pending",
    ]);
  },
);

test("a notebook is edited and executed, and its file has the outputs", async () => {
  using home = temporaryFolder();
  const path = join(home.path, "tour.ipynb");
  copyFileSync(SAMPLE, path);
  const options = { home: home.path };
  await callTool(
    "notebook",
    { action: "edit", notebook_path: path, cell_id: "numbers", content: "numbers = [30, 12]\nnumbers" },
    options,
  );
  const { exitCode, result } = await callTool("run_notebook", { notebook_path: path }, options, ["--in-process"]);
  expect(exitCode).toBe(0);
  expect(result.details).toMatchObject({ executed: 3, failedCell: null, saved: true });
  const cells = JSON.parse(readFileSync(path, "utf8")).cells;
  expect(cells[1].outputs[0].data["text/plain"]).toEqual(["[30, 12]"]);
  expect(cells[2].outputs).toEqual([
    { name: "stdout", output_type: "stream", text: ["step 0\n", "step 1\n", "step 2\n"] },
  ]);
  expect(cells[3].outputs[0]).toEqual({
    data: { "text/plain": ["42"] },
    execution_count: 3,
    metadata: {},
    output_type: "execute_result",
  });
  if (hasVenv) expect(readByNbformat(path)).toBe("[1, 2, 3]");
});

test.skipIf(!hasVenv || !existsSync(MADE_BY_JUPYTER))(
  "a notebook that Jupyter made is edited, executed and still valid (needs the corpus)",
  async () => {
    using home = temporaryFolder();
    const path = join(home.path, "made.ipynb");
    await Bun.write(path, Bun.file(MADE_BY_JUPYTER));
    await callTool(
      "notebook",
      { action: "insert", notebook_path: path, cell_index: 0, content: "6 * 7" },
      { home: home.path },
    );
    await callTool("run_notebook", { notebook_path: path, cells: "0" }, activated(home.path), ["--in-process"]);
    expect(readByNbformat(path)).toMatch(/^\[1, /);
  },
);

test("the binary alone in an empty folder does the same", async () => {
  using home = temporaryFolder();
  const binary = join(home.path, "nuthatch");
  copyFileSync(join(ROOT, "dist", "nuthatch"), binary);
  copyFileSync(SAMPLE, join(home.path, "tour.ipynb"));
  const run = Bun.spawnSync([binary, "call", "run_notebook", '{"notebook_path":"tour.ipynb"}', "--in-process"], {
    cwd: home.path,
    env: { ...process.env, NUTHATCH_HOME: join(home.path, "home") },
  });
  expect(JSON.parse(run.stdout.toString()).details).toMatchObject({ executed: 3, saved: true });
});
