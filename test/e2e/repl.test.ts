import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { testNotebook } from "../execute/live-notebook.ts";
import { BINARY, callTool, runNuthatch, temporaryFolder } from "../nuthatch.ts";
import { TerminalProgram } from "../pseudo-terminal.ts";
import { twoColors } from "../render/picture/sample-pictures.ts";

const ENV = { NUTHATCH_KERNEL: "bundled" };
const CTRL_C = "\x03";
const CTRL_D = "\x04";

/** A repl on a terminal; `input` is what stands behind its prompt. */
async function openRepl(home: string, words: string[] = []) {
  const env = { ...ENV, NUTHATCH_HOME: home };
  const program = new TerminalProgram([BINARY, "repl", ...words], { columns: 72, rows: 40, cwd: home, env });
  await program.waitFor((rows) => rows.at(-1)?.startsWith(">") === true);
  const shows = (row: string) => program.waitFor((rows) => rows.some((one) => one.includes(row)));
  const input = async (text: string) =>
    await program.waitFor((rows) => {
      const start = rows.findLastIndex((row) => row.startsWith(">"));
      const shown = rows.slice(start).map((row) => row.trimEnd());
      return shown.join("\n").trimEnd() === text;
    });
  return { program, shows, input, [Symbol.asyncDispose]: () => program[Symbol.asyncDispose]() };
}

test("code of several lines runs when it is whole, and the session lives on after Ctrl-D", async () => {
  using home = temporaryFolder();
  await using repl = await openRepl(home.path);
  repl.program.type("def twice(n):\r");
  await repl.input("> def twice(n):\n·");
  repl.program.type("return n * 2\r");
  await repl.shows("return n * 2");
  repl.program.type("\r");
  await repl.shows("✓");
  await repl.input(">");
  repl.program.type("twice(21)\r");
  await repl.shows("│ 42");
  repl.program.type(CTRL_D);
  expect(await repl.program.exited()).toBe(0);
  const { result } = await callTool("python", { cells: "twice(4)" }, { home: home.path, env: ENV });
  expect(result.content[0]?.text).toBe("8\n");
});

test("the kernel completes and tells, and the history is that of all sessions", async () => {
  using home = temporaryFolder();
  await using repl = await openRepl(home.path);
  repl.program.type("number_one = 1; number_two = 2\r");
  await repl.shows("✓");
  await repl.input(">");
  repl.program.type("num\t");
  await repl.input("> number_\nnumber_one  number_two");
  repl.program.type("o\t");
  await repl.input("> number_one");
  repl.program.type("\x1b[Z");
  await repl.shows("int");
  repl.program.type(CTRL_C);
  await repl.input(">");
  repl.program.type("\x1b[A");
  await repl.input("> number_one = 1; number_two = 2");
  repl.program.type(CTRL_C + CTRL_D);
  expect(await repl.program.exited()).toBe(0);
  await using other = await openRepl(home.path, ["elsewhere"]);
  other.program.type("num\x1b[A");
  await other.input("> number_one = 1; number_two = 2");
});

test("name? tells and makes room for the next input, and exit leaves with the session alive", async () => {
  using home = temporaryFolder();
  await using repl = await openRepl(home.path);
  repl.program.type("answer = 42\r");
  await repl.shows("✓");
  await repl.input(">");
  repl.program.type("answer?\r");
  await repl.shows("int");
  repl.program.type("answer + 1\r");
  await repl.shows("│ 43");
  repl.program.type("exit()\r");
  expect(await repl.program.exited()).toBe(0);
  const { result } = await callTool("python", { cells: "answer" }, { home: home.path, env: ENV });
  expect(result.content[0]?.text).toBe("42\n");
});

test("Ctrl-C interrupts what runs, and the state stays", async () => {
  using home = temporaryFolder();
  await using repl = await openRepl(home.path);
  repl.program.type("kept = 7\r");
  await repl.shows("✓");
  await repl.input(">");
  repl.program.type("import time; print('begun', flush=True); time.sleep(600)\r");
  await repl.shows("│ begun");
  await repl.input(">");
  repl.program.type(CTRL_C);
  await repl.shows("KeyboardInterrupt");
  repl.program.type("kept * 6\r");
  await repl.shows("│ 42");
});

test("an agent's cells are shown as they run, and its variables are there", async () => {
  using home = temporaryFolder();
  await using repl = await openRepl(home.path, ["shared"]);
  const options = { home: home.path, env: ENV };
  const code =
    "import os, time\nprint('from the agent', flush=True)\nwhile not os.path.exists('go'): time.sleep(0.01)\nfound = 'agent'";
  const call = callTool("python", { cells: [code, "print('second')"], session: "shared" }, options);
  await repl.shows("│ from the agent");
  repl.program.type("found\r");
  writeFileSync(join(home.path, "go"), "");
  expect((await call).exitCode).toBe(0);
  await repl.shows("│ second");
  await repl.shows("│ 'agent'");
});

test("the pictures and JSON of an agent's cells are drawn with the cell that gave them", async () => {
  using home = temporaryFolder();
  await using repl = await openRepl(home.path, ["shared"]);
  writeFileSync(join(home.path, "two.png"), twoColors(8, 8));
  const picture = `import base64\nbytes = open("two.png", "rb").read()
display({"image/png": base64.b64encode(bytes).decode()}, raw=True)`;
  const last = "import os, time\nwhile not os.path.exists('go'): time.sleep(0.01)\nprint('last')";
  const cells = [picture, `display({"application/json": {"deep": [1, 2]}}, raw=True)`, last];
  const call = callTool("python", { cells, session: "shared" }, { home: home.path, env: ENV });
  await repl.shows("image/png 8×8");
  writeFileSync(join(home.path, "go"), "");
  expect((await call).exitCode).toBe(0);
  await repl.shows("│ last");
  const rows = await repl.program.screen.read();
  const parts = ["import base64", "▀", "image/png 8×8", "application/json", "deep", "print('last')"];
  const places = parts.map((part) => rows.findIndex((row) => row.includes(part)));
  expect(places).not.toContain(-1);
  expect(places).toEqual([...places].sort((one, other) => one - other));
});

test.each([
  ["name", (path: string) => path],
  ["path from here", (path: string) => basename(path)],
])("a notebook's own session is attached to by its %s", async (_, wordFor) => {
  using home = temporaryFolder();
  const path = join(home.path, "n.ipynb");
  writeFileSync(path, JSON.stringify(testNotebook(["answer = 42"]), null, 1));
  const options = { home: home.path, env: ENV };
  await callTool("run_notebook", { notebook_path: path }, options);
  await using repl = await openRepl(home.path, [wordFor(path)]);
  repl.program.type("print('it is', answer)\r");
  await repl.shows("│ it is 42");
  const sessions = JSON.parse((await runNuthatch(["sessions", "list", "--json"], options)).stdout).sessions;
  expect(sessions.map(({ name }: { name: string }) => name)).toEqual([path]);
});

test("what is pasted is one input, and without a terminal there is no repl", async () => {
  using home = temporaryFolder();
  await using repl = await openRepl(home.path);
  repl.program.type("\x1b[200~for i in range(2):\r    print('i', i)\r\x1b[201~");
  await repl.shows("print('i', i)");
  repl.program.type("\r");
  await repl.shows("│ i 1");
  const refused = await runNuthatch(["repl"], { home: home.path });
  expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining("nuthatch repl needs a terminal")]);
});
