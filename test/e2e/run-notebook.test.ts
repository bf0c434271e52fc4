import { expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { testNotebook } from "../execute/live-notebook.ts";
import { BINARY, callTool, runNuthatch, temporaryFolder } from "../nuthatch.ts";

const PYTHON = join(import.meta.dir, "../../.venv/bin/python");
const ENV = { NUTHATCH_KERNEL: "bundled" };
const hasStrace = Bun.which("strace") !== null;

function write(folder: string, cells: Parameters<typeof testNotebook>[0]): string {
  const path = join(folder, "n.ipynb");
  writeFileSync(path, JSON.stringify(testNotebook(cells), null, 1));
  return path;
}

/** Empty when nbformat finds nothing wrong with the file. */
function complaintsOf(path: string): string {
  const script = "import nbformat, sys; nbformat.validate(nbformat.read(sys.argv[1], as_version=4))";
  return Bun.spawnSync([PYTHON, "-W", "error", "-c", script, path]).stderr.toString();
}

test("a daemon that is killed in cell 7 of 10 leaves the outputs of the cells before it in a valid file", async () => {
  using home = temporaryFolder();
  const seventh = "import time\nopen('reached', 'w')\ntime.sleep(600)";
  const path = write(
    home.path,
    Array.from({ length: 10 }, (_, index) => (index === 6 ? seventh : `print(${index})`)),
  );
  const options = { home: home.path, env: ENV };
  const call = callTool("run_notebook", { notebook_path: "n.ipynb" }, options);
  const reached = join(home.path, "reached");
  while (!existsSync(reached)) await Bun.sleep(5);
  const { pid } = JSON.parse(readFileSync(join(home.path, "runtime", "gateway.json"), "utf8"));
  process.kill(pid, "SIGKILL");
  expect((await call).result).toMatchObject({ isError: true, details: { code: "daemon_died" } });
  const { cells } = JSON.parse(readFileSync(path, "utf8"));
  const texts = cells.map(({ outputs }: { outputs: { text: string[] }[] }) =>
    outputs.map(({ text }) => text.join("")).join(),
  );
  expect(texts).toEqual(["0\n", "1\n", "2\n", "3\n", "4\n", "5\n", "", "", "", ""]);
  if (existsSync(PYTHON)) expect(complaintsOf(path)).toBe("");
  const rest = await callTool("run_notebook", { notebook_path: "n.ipynb", cells: "0-5" }, options);
  expect(rest.result.details).toMatchObject({ executed: 6, failedCell: null });
});

test.skipIf(!existsSync(PYTHON))(
  "one call inserts a cell, edits another and runs both; the file is valid",
  async () => {
    using home = temporaryFolder();
    const path = write(home.path, [
      "x = 1",
      "'old'",
      { cell_type: "markdown", source: "words", outputs: undefined, execution_count: undefined },
    ]);
    const edit = [
      { action: "insert", cell_index: "1", source: "x += 1\nprint(x)" },
      { action: "edit", cell_id: "b", new_source: "x * 21" },
    ];
    const { result, exitCode } = await callTool(
      "run_notebook",
      { path: "n.ipynb", edit, cells: "0-2" },
      { home: home.path, env: ENV },
      ["--in-process"],
    );
    expect([exitCode, result.details.executed]).toEqual([0, 3]);
    const { cells } = JSON.parse(readFileSync(path, "utf8"));
    expect(cells[1].outputs[0].text).toEqual(["2\n"]);
    expect(cells[2].outputs[0].data["text/plain"]).toEqual(["42"]);
    expect(complaintsOf(path)).toBe("");
  },
);

test.skipIf(!hasStrace)(
  "the file is saved after every cell, and waited for on the disk at most once a second (needs strace)",
  async () => {
    using home = temporaryFolder();
    write(
      home.path,
      Array.from({ length: 25 }, (_, index) => `print(${index})`),
    );
    const log = join(home.path, "trace");
    const trace = ["strace", "-f", "-o", log, "-e", "trace=fsync,fdatasync,rename,renameat,renameat2"];
    const input = JSON.stringify({ notebook_path: "n.ipynb" });
    const began = performance.now();
    const run = Bun.spawn([...trace, BINARY, "call", "run_notebook", input, "--in-process"], {
      cwd: home.path,
      env: { ...process.env, ...ENV, NUTHATCH_HOME: home.path },
      stdout: "ignore",
      stderr: "ignore",
    });
    expect(await run.exited).toBe(0);
    const seconds = (performance.now() - began) / 1000;
    const calls = readFileSync(log, "utf8").split("\n");
    expect(calls.filter((line) => /rename.*n\.ipynb/.test(line)).length).toBeGreaterThanOrEqual(25);
    // The file and its folder each time; at least at the end.
    const syncs = calls.filter((line) => /\bf(?:data)?sync\(/.test(line)).length;
    expect(syncs).toBeGreaterThan(0);
    expect(syncs).toBeLessThanOrEqual(2 * (seconds + 1));
  },
);

test("every example of the skill file runs", async () => {
  using home = temporaryFolder();
  const options = { home: home.path, env: ENV };
  const skill = (await runNuthatch(["skill"], options)).stdout;
  const commands = [...skill.matchAll(/^nuthatch call (notebook|python|run_notebook|runs|sessions) '(.*)'$/gm)];
  expect(commands.length).toBeGreaterThanOrEqual(9);
  const markdown = {
    cell_type: "markdown",
    source: "# Title",
    id: "m",
    outputs: undefined,
    execution_count: undefined,
  };
  const cells = [
    { source: "x = 1", id: "a1b2" },
    markdown,
    "import collections",
    "df = __import__('types').SimpleNamespace(head=lambda: 'head')",
  ];
  // A stand-in for pandas, which a bare host has not: the examples are about the calls.
  writeFileSync(
    join(home.path, "pandas.py"),
    "class Frame:\n    def describe(self): return 'described'\n    def plot(self): return 'plotted'\n    def head(self): return 'head'\ndef read_csv(path): return Frame()\n",
  );
  writeFileSync(join(home.path, "analysis.ipynb"), JSON.stringify(testNotebook(cells), null, 1));
  for (const [, tool, input] of commands) {
    const { result, text } = await callTool(tool as string, JSON.parse(input as string), options);
    expect({ input, isError: result.isError, text }).toMatchObject({ input, isError: false });
  }
});
