import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { testNotebook } from "../execute/live-notebook.ts";
import { BINARY, runNuthatch, temporaryFolder } from "../nuthatch.ts";
import { TerminalProgram } from "../pseudo-terminal.ts";

const ENV = { NUTHATCH_KERNEL: "bundled" };

/** A folder with notebooks of these cells by name. */
function folderOf(notebooks: Record<string, Parameters<typeof testNotebook>[0]>) {
  const folder = temporaryFolder();
  const path = (name: string) => join(folder.path, `${name}.ipynb`);
  const write = (name: string, cells: Parameters<typeof testNotebook>[0]) =>
    writeFileSync(path(name), JSON.stringify(testNotebook(cells), null, 1));
  for (const [name, cells] of Object.entries(notebooks)) write(name, cells);
  const sourceLines = (name: string) => JSON.parse(readFileSync(path(name), "utf8")).cells;
  const run = (...words: string[]) => runNuthatch(["run", ...words], { home: folder.path, env: ENV });
  return { folder, path, write, cells: sourceLines, run, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

/** Times are what they are. */
function withoutTimes(text: string): string {
  return text.replace(/\b[\d.]+ (?:ms|s)\b/g, "<time>").replace(/time="[\d.]+"/g, 'time="<time>"');
}

test("a run that nobody watches is told line by line, and ends with 1 at a cell that fails", async () => {
  using place = folderOf({ a: ["print('one', end='')", "x = 6\nx * 7", "1 / 0", "'never'"] });
  const { exitCode, stdout, stderr } = await place.run("a.ipynb");
  expect([exitCode, stderr]).toEqual([1, ""]);
  expect(withoutTimes(stdout)).toMatchInlineSnapshot(`
    "a.ipynb: 4 code cells
    [1/4] cell 0: print('one', end='')
    one
    [1/4] cell 0: done in <time>
    [2/4] cell 1: x = 6
    42
    [2/4] cell 1: done in <time>
    [3/4] cell 2: 1 / 0
    Traceback (most recent call last):
      Cell In[3], line 1
        1 / 0
        ~~^~~
    ZeroDivisionError: division by zero
    [3/4] cell 2: failed after <time>
    Cell 2 (id c) failed; the cell after it did not run
    FAILED a.ipynb: cell 2 failed after <time>; 3 of 4 cells ran
    "
  `);
  expect(place.cells("a")[1].outputs[0].data["text/plain"]).toEqual(["42"]);
  const allowed = await place.run("a.ipynb", "--allow-errors");
  expect([allowed.exitCode, allowed.stdout]).toEqual([0, expect.stringContaining("ok a.ipynb: 4 cells in ")]);
});

test("a cell that is skipped is told where it stands", async () => {
  using place = folderOf({
    a: ["", "x = 1", { source: "y", metadata: { tags: ["skip-execution"] } }, "", "x", ""],
  });
  const { stdout } = await place.run("a.ipynb");
  expect(withoutTimes(stdout)).toMatchInlineSnapshot(`
    "a.ipynb: 6 code cells
    [1/6] cell 0: skipped
    [2/6] cell 1: x = 1
    [2/6] cell 1: done in <time>
    [3/6] cell 2: skipped
    [4/6] cell 3: skipped
    [5/6] cell 4: x
    1
    [5/6] cell 4: done in <time>
    [6/6] cell 5: skipped
    ok a.ipynb: 2 cells in <time>
    "
  `);
});

test("each run has a fresh kernel and leaves none, and parameters come as Papermill's", async () => {
  using place = folderOf({
    a: [{ source: "n = 0", metadata: { tags: ["parameters"] } }, "print(repr(n), repr(text))"],
  });
  const numbers = ["-p", "n", "1.0", "-p", "big", "1234567890123456800", "-p", "padded", "-007"];
  const { exitCode } = await place.run("a.ipynb", ...numbers, "-r", "text", "007", "--save-as", "out.ipynb");
  expect(exitCode).toBe(0);
  expect(place.cells("out")[1].source.join("")).toBe(
    '# Parameters\nn = 1.0\nbig = 1234567890123456800\npadded = -7\ntext = "007"\n',
  );
  expect(place.cells("out")[2].outputs[0].text).toEqual(["1.0 '007'\n"]);
  expect(place.cells("a")).toHaveLength(2);
  const next = await place.run("a.ipynb");
  expect([next.exitCode, next.stdout]).toEqual([1, expect.stringContaining("NameError: name 'text' is not defined")]);
  const status = await runNuthatch(["status"], { home: place.folder.path });
  expect(status.stdout + status.stderr).toContain("no daemon");
});

test("several notebooks run at once, each told as a whole; reports say how each cell went", async () => {
  // Each waits for the other, so that they end only if they run at the same time.
  const meet = (own: string, other: string) =>
    `import os, time\nopen('${own}', 'w')\nwhile not os.path.exists('${other}'): time.sleep(0.01)\nprint('met')`;
  using place = folderOf({
    a: [meet("a", "b")],
    b: [meet("b", "a"), { source: "x", metadata: { tags: ["skip-execution"] } }, "raise KeyError('<&\\x1b[31m>')", "1"],
  });
  const report = join(place.folder.path, "report.xml");
  const run = await place.run(
    "a.ipynb",
    "b.ipynb",
    "gone.ipynb",
    "-j",
    "3",
    "--report",
    "junit",
    "--report-file",
    report,
  );
  expect(run.exitCode).toBe(1);
  expect(run.stdout).toContain("a.ipynb: 1 code cell\n[1/1] cell 0: import os, time\nmet\n");
  const xml = withoutTimes(readFileSync(report, "utf8")).replace(/>Traceback[^<]*</, ">...<");
  expect(xml).toMatchInlineSnapshot(`
    "<?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="nuthatch run" tests="6" failures="1" errors="1" skipped="2" time="<time>">
      <testsuite name="a.ipynb" tests="1" failures="0" errors="0" skipped="0" time="<time>">
        <testcase classname="a.ipynb" name="cell 0 (a)" time="<time>"/>
      </testsuite>
      <testsuite name="b.ipynb" tests="4" failures="1" errors="0" skipped="2" time="<time>">
        <testcase classname="b.ipynb" name="cell 0 (a)" time="<time>"/>
        <testcase classname="b.ipynb" name="cell 1 (b)" time="<time>">
          <skipped message="skipped by its tag, or empty"/>
        </testcase>
        <testcase classname="b.ipynb" name="cell 2 (c)" time="<time>">
          <failure message="KeyError: '&lt;&amp;\\x1b[31m&gt;'">...</failure>
        </testcase>
        <testcase classname="b.ipynb" name="cell 3 (d)" time="<time>">
          <skipped message="did not run"/>
        </testcase>
      </testsuite>
      <testsuite name="gone.ipynb" tests="1" failures="0" errors="1" skipped="0" time="<time>">
        <testcase classname="gone.ipynb" name="gone.ipynb" time="<time>">
          <error message="Error: Notebook not found: gone.ipynb">Error: Notebook not found: gone.ipynb
    Hint: check the path, or make the notebook with the action &quot;create&quot;</error>
        </testcase>
      </testsuite>
    </testsuites>
    "
  `);
  const json = await place.run("a.ipynb", "gone.ipynb", "--report", "json");
  expect(json.stderr).toContain("ok a.ipynb: 1 cell in ");
  expect(JSON.parse(json.stdout)).toMatchObject({
    passed: 1,
    failed: 1,
    notebooks: [
      { path: "a.ipynb", ok: true, cells: [{ status: "complete" }] },
      { path: "gone.ipynb", ok: false, code: "notebook_not_found" },
    ],
  });
});

test("the report says first why a cell failed that raised nothing", async () => {
  using place = folderOf({
    a: ["import os; os._exit(3)", "1"],
    b: ["input('name')", "1"],
    c: ["import time; time.sleep(9)"],
  });
  const { stdout } = await place.run("a.ipynb", "b.ipynb", "c.ipynb", "--timeout", "1", "--report", "junit");
  expect([...stdout.matchAll(/<error message="([^"]*)"/g)].map(([, message]) => message)).toEqual([
    "The Python kernel died: it exited with code 3; the state of this session is gone",
    "[stdin] The code asked for input (prompt: &quot;name&quot;), which is not available here; pass the data in the code",
    "Command timed out after 1 seconds",
  ]);
});

test("with --json each notebook's result is a line, in the order of the words", async () => {
  using place = folderOf({ slow: ["import time; time.sleep(0.3)"], quick: ["1"] });
  const { stdout, stderr, exitCode } = await place.run("slow.ipynb", "quick.ipynb", "-j", "2", "--json");
  const results = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect([exitCode, stderr]).toEqual([0, ""]);
  expect(results.map(({ details }) => details.notebookPath)).toEqual([place.path("slow"), place.path("quick")]);
});

test("with --session it runs on what the session has, and the session stays", async () => {
  using place = folderOf({ a: ["n = globals().get('n', 0) + 1\nn"] });
  for (const count of ["1", "2"]) {
    await place.run("a.ipynb", "--session", "kept");
    expect(place.cells("a")[0].outputs[0].data["text/plain"]).toEqual([count]);
  }
  await place.run("a.ipynb", "--session", "kept", "--restart");
  expect(place.cells("a")[0].outputs[0].data["text/plain"]).toEqual(["1"]);
});

test("what cannot be meant is refused before anything runs", async () => {
  using place = folderOf({ a: ["1"] });
  const refused = async (...words: string[]) => {
    const { exitCode, stdout, stderr } = await place.run("a.ipynb", ...words);
    expect([exitCode, place.cells("a")[0].execution_count]).toEqual([1, null]);
    return stdout + stderr;
  };
  expect(await refused("b.ipynb", "--save-as", "c.ipynb")).toContain("--save-as is for one notebook");
  expect(await refused("--jobs", "0")).toContain("jobs must be a whole number from 1 on, not 0");
  expect(await refused("--report", "html")).toContain("report must be junit or json, not html");
  expect(await refused("--report-file", "x")).toContain("--report-file needs --report");
  expect(await refused("--json", "--report", "json")).toContain("both go to standard output");
  expect(await refused("-p", "x")).toContain("option -p needs a value: -p <name> <value>");
});

test("on a terminal each cell is a line with its status and time, its output comes as it is printed, and the cell that fails is shown", async () => {
  using place = folderOf({
    a: [
      "import os, time\nprint('begun', flush=True)\nwhile not os.path.exists('go'): time.sleep(0.01)\nprint('gone on')",
      "x = [1, 2]\nx",
      "def f():\n    return 1 / 0\nf()",
      "3",
    ],
  });
  const argv = [BINARY, "run", "a.ipynb"];
  await using program = new TerminalProgram(argv, {
    columns: 60,
    rows: 40,
    cwd: place.folder.path,
    env: { ...ENV, NUTHATCH_HOME: place.folder.path },
  });
  await program.waitFor(
    (rows) => rows.some((row) => /^[⠀-⣿] \[0\] import os, time/.test(row)) && rows.includes("│ begun"),
  );
  writeFileSync(join(place.folder.path, "go"), "");
  expect(await program.exited()).toBe(1);
  expect(withoutTimes((await program.screen.read()).join("\n"))).toMatchInlineSnapshot(`
    "a.ipynb 4 code cells
    ✓ [0] import os, time <time>
    │ begun
    │ gone on
    ✓ [1] x = [1, 2] <time>
    │ [1, 2]
    ✗ [2] def f(): <time>
    Cell 2 (id c) failed; the cell after it did not run
    ╭─ ✗ cell 2 <time>
    │ 1 def f():
    │ 2     return 1 / 0
    │ 3 f()
    ├─ error
    │ Traceback (most recent call last):
    │   Cell In[3], line 3
    │     f()
    │   Cell In[3], line 2, in f
    │     return 1 / 0
    │            ~~^~~
    │ ZeroDivisionError: division by zero
    ╰─
    ✗ a.ipynb: cell 2 failed after <time>; 3 of 4 cells ran"
  `);
  expect(program.raw).toContain("\x1b[?25h");
});

test("a watched notebook runs what was changed, on the state of its kernel", async () => {
  using place = folderOf({ a: ["x = 1", "print('x is', x)"] });
  const argv = [BINARY, "run", "a.ipynb", "--watch"];
  await using program = new TerminalProgram(argv, {
    columns: 60,
    rows: 40,
    cwd: place.folder.path,
    env: { ...ENV, NUTHATCH_HOME: place.folder.path },
  });
  await program.waitFor((rows) => rows.some((row) => row.includes("watching for changes")));
  const cells = place.cells("a");
  cells[1].source = ["print('now x is', x)"];
  writeFileSync(place.path("a"), JSON.stringify({ ...testNotebook([]), cells }, null, 1));
  await program.waitFor((rows) => rows.includes("│ now x is 1"));
  await program.waitFor((rows) => rows.filter((row) => /✓ a.ipynb: 1 cell in/.test(row)).length === 1);
  program.type("\x03");
  expect(await program.exited()).toBe(130);
  expect(place.cells("a")[1].outputs[0].text).toEqual(["now x is 1\n"]);
});

test("what is changed behind a link runs, and so do two notebooks that change at once", async () => {
  using place = folderOf({ a: ["x = 1", "print('a is', x)"] });
  mkdirSync(join(place.folder.path, "far"));
  const far = join(place.folder.path, "far", "b.ipynb");
  writeFileSync(far, JSON.stringify(testNotebook(["x = 2", "print('b is', x)"])));
  symlinkSync("far/b.ipynb", place.path("link"));
  await using program = new TerminalProgram([BINARY, "run", "a.ipynb", "link.ipynb", "--watch"], {
    columns: 60,
    rows: 60,
    cwd: place.folder.path,
    env: { ...ENV, NUTHATCH_HOME: place.folder.path },
  });
  await program.waitFor((rows) => rows.some((row) => row.includes("watching for changes")));
  for (const path of [place.path("a"), far]) {
    writeFileSync(path, readFileSync(path, "utf8").replace(" is'", " is now'"));
  }
  for (const line of ["│ a is now 1", "│ b is now 2"]) await program.waitFor((rows) => rows.includes(line));
  for (const name of ["a", "link"]) {
    await program.waitFor((rows) => rows.some((row) => row.startsWith(`✓ ${name}.ipynb: 1 cell in`)));
  }
  program.type("\x03");
  expect(await program.exited()).toBe(130);
});

test("a notebook that is named twice runs once, and the folder of a report is made", async () => {
  using place = folderOf({ a: ["1"] });
  symlinkSync("a.ipynb", place.path("link"));
  const words = ["a.ipynb", "./a.ipynb", "link.ipynb", "-j", "3", "--report", "json", "--report-file", "new/report"];
  const { exitCode, stdout } = await place.run(...words);
  expect(stdout.match(/^.*ipynb: 1 cell in/gm)).toEqual(["ok a.ipynb: 1 cell in"]);
  expect(exitCode).toBe(0);
  const report = JSON.parse(readFileSync(join(place.folder.path, "new", "report"), "utf8"));
  expect(report.notebooks.map((notebook: { path: string }) => notebook.path)).toEqual(["a.ipynb"]);
});

test("a report says why outputs could not be written", async () => {
  using place = folderOf({ a: ["1", "import os; os.remove('a.ipynb')"] });
  const { exitCode, stdout } = await place.run("a.ipynb", "--report", "junit");
  expect(exitCode).toBe(1);
  expect(stdout).toContain('<error message="The outputs could not be written: Notebook not found: a.ipynb">');
});

test("a run that lost its daemon says so", async () => {
  using place = folderOf({ a: ["import os, signal\nos.kill(os.getppid(), signal.SIGKILL)"] });
  const { exitCode, stdout } = await place.run("a.ipynb", "--session", "mine");
  expect(exitCode).toBe(2);
  expect(stdout).toContain("Error: the background daemon (pid ");
});

test("an interrupted run ends with 130; what ran is in the file, and no kernel is left", async () => {
  using place = folderOf({ a: ["'first'", "import os, time\nprint('pid', os.getpid(), flush=True)\ntime.sleep(60)"] });
  const child = Bun.spawn([BINARY, "run", "a.ipynb"], {
    cwd: place.folder.path,
    env: { ...process.env, ...ENV, NUTHATCH_HOME: place.folder.path },
    stdout: "pipe",
  });
  let text = "";
  for await (const chunk of child.stdout) {
    text += Buffer.from(chunk).toString();
    if (/pid \d+\n$/.test(text)) child.kill("SIGINT");
  }
  expect(await child.exited).toBe(130);
  expect(text).toContain("FAILED a.ipynb: cell 1 was cancelled after ");
  expect(place.cells("a")[0].outputs[0].data["text/plain"]).toEqual(["'first'"]);
  expect(() => process.kill(Number(/pid (\d+)/.exec(text)?.[1]), 0)).toThrow();
});
