// Standard input that is no text, standard output that cannot be written.
import { expect, test } from "bun:test";
import { existsSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { canonical, codeCell, notebookOf } from "../notebook/notebooks.ts";
import { BINARY, runNuthatch, temporaryFolder } from "../nuthatch.ts";

const CELL = JSON.stringify({ cells: ["print(6 * 7)"] });
const IN_PROCESS = ["--in-process", "--kernel", "bundled"];

/** Runs the binary with descriptors of the test's own. */
function runWith(words: string[], home: string, descriptors: { stdin?: number | Uint8Array; stdout?: number }) {
  const run = Bun.spawnSync([BINARY, ...words], {
    cwd: home,
    env: { ...process.env, NUTHATCH_HOME: home },
    stdin: descriptors.stdin ?? "ignore",
    stdout: descriptors.stdout ?? "pipe",
    stderr: "pipe",
  });
  return { exitCode: run.exitCode, stdout: run.stdout?.toString() ?? "", stderr: run.stderr.toString() };
}

test("parameters that are not UTF-8 are refused, and no stand-in for a byte reaches a notebook", () => {
  using home = temporaryFolder();
  const before = canonical(notebookOf([codeCell("a", ["1"])]));
  writeFileSync(join(home.path, "a.ipynb"), before);
  const input = JSON.stringify({ action: "edit", notebook_path: "a.ipynb", cell_index: 0, content: "# caf\xe9" });
  const run = runWith(["call", "notebook", "-"], home.path, { stdin: Buffer.from(input, "latin1") });
  expect(run.exitCode).toBe(1);
  expect(JSON.parse(run.stdout).content[0].text).toBe("Error: standard input is not UTF-8 text");
  expect(readFileSync(join(home.path, "a.ipynb"), "utf8")).toBe(before);
});

test("parameters with a byte-order mark are read", async () => {
  using home = temporaryFolder();
  const run = await runNuthatch(["call", "python", ...IN_PROCESS], { home: home.path, stdin: `\ufeff${CELL}` });
  expect(JSON.parse(run.stdout).content[0].text).toBe("42\n");
});

test.skipIf(process.platform !== "linux")("an argument that is not UTF-8 is refused", () => {
  using home = temporaryFolder();
  const script = `exec "$0" notebook edit a.ipynb 0 --content "$(printf 'caf\\351')"`;
  const run = Bun.spawnSync(["bash", "-c", script, BINARY], { cwd: home.path });
  expect([run.exitCode, run.stderr.toString()]).toEqual([1, "nuthatch: error: an argument is not UTF-8 text\n"]);
});

test("a folder as standard input is wrong input, and no fault of Nuthatch", () => {
  using home = temporaryFolder();
  for (const words of [
    ["call", "python", "-"],
    ["python", "-", "--json"],
    ["notebook", "insert", "a.ipynb", "--json"],
  ]) {
    const run = runWith(words, home.path, { stdin: openSync(home.path, "r") });
    expect([run.exitCode, run.stdout]).toEqual([1, expect.stringContaining("cannot read standard input")]);
  }
});

test.skipIf(!existsSync("/dev/full")).each([
  ["a result", ["call", "python", CELL, ...IN_PROCESS]],
  ["a stream of events", ["call", "python", CELL, "--stream", ...IN_PROCESS]],
  ["the text of cells", ["python", "-c", "print(1)", ...IN_PROCESS]],
  ["the help", ["--help"]],
])("a full disk under %s is said on standard error in one line, with status 2", (_name, words) => {
  using home = temporaryFolder();
  const run = runWith(words, home.path, { stdout: openSync("/dev/full", "w") });
  expect([run.exitCode, run.stderr]).toEqual([
    2,
    "nuthatch: error: cannot write standard output: ENOSPC: no space left on device, write\n",
  ]);
});
