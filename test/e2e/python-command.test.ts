import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { BINARY, runNuthatch, temporaryFolder } from "../nuthatch.ts";

test("a script runs cell by cell at its marks, with titles over the cells", async () => {
  using home = temporaryFolder();
  writeFileSync(join(home.path, "script.py"), "# %% Load\nx = 20\n# %% Show\nprint(x * 2)\nx + 2\n");
  expect(await runNuthatch(["python", "script.py", "--in-process"], { home: home.path })).toEqual({
    exitCode: 0,
    stdout: "[1/2] Load\n(ok)\n[2/2] Show\n40\n22\n",
    stderr: "",
  });
});

test("code comes from -c as typed, and from standard input", async () => {
  using home = temporaryFolder();
  const words = ["python", "--in-process"];
  expect((await runNuthatch([...words, "-c", "-1"], { home: home.path })).stdout).toBe("-1\n");
  expect((await runNuthatch([...words, "-"], { home: home.path, stdin: "print('in')" })).stdout).toBe("in\n");
});

test("a failing cell, wrong input and a missing file end with status 1", async () => {
  using home = temporaryFolder();
  const words = ["python", "--in-process"];
  const failed = await runNuthatch([...words, "-c", "1/0"], { home: home.path });
  expect(failed.exitCode).toBe(1);
  expect(failed.stdout).toContain("ZeroDivisionError: division by zero");
  const folder = await runNuthatch([...words, "-c", "1", "--cwd", "/no/such"], { home: home.path, cwd: home.path });
  expect([folder.exitCode, folder.stdout]).toEqual([1, ""]);
  expect(folder.stderr).toContain("error: Working directory does not exist: /no/such");
  const missing = await runNuthatch([...words, "none.py"], { home: home.path });
  expect([missing.exitCode, missing.stdout]).toEqual([1, ""]);
  expect(missing.stderr).toContain("none.py");
});

test.each(["python", "call"])("a closed pipe ends nuthatch %s quietly", async (command) => {
  using home = temporaryFolder();
  const code = "for i in range(300000): print(i)";
  const words =
    command === "python" ? `python -c '${code}'` : `call python --stream '${JSON.stringify({ cells: [code] })}'`;
  const shell = `"${BINARY}" ${words} --in-process | head -n 1 >&2; echo "\${PIPESTATUS[0]}"`;
  const run = Bun.spawn(["bash", "-c", shell], {
    env: { ...process.env, NUTHATCH_HOME: home.path },
    stdout: "pipe",
    stderr: "pipe",
  });
  const lines = (await new Response(run.stderr).text()).trimEnd().split("\n");
  expect(await new Response(run.stdout).text()).toBe("0\n");
  expect(lines.length).toBe(1);
});
