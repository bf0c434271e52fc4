import { expect, test } from "bun:test";
import { runNuthatch, temporaryFolder } from "../nuthatch.ts";

test("an option before the command does not keep an error of call from being JSON", async () => {
  using home = temporaryFolder();
  const run = await runNuthatch(["--cwd", home.path, "call", "notebook", "{"], { home: home.path });
  expect([run.exitCode, JSON.parse(run.stdout).details.code, run.stderr]).toEqual([1, "invalid_input", ""]);
});

test("help takes the name of a command, and knows which there are", async () => {
  using home = temporaryFolder();
  const options = { home: home.path };
  expect(await runNuthatch(["help"], options)).toEqual(await runNuthatch(["--help"], options));
  expect(await runNuthatch(["help", "call"], options)).toEqual(await runNuthatch(["call", "--help"], options));
  const unknown = { exitCode: 1, stdout: "", stderr: expect.stringContaining('unknown command "tolls"') };
  expect(await runNuthatch(["help", "tolls"], options)).toEqual(unknown);
  expect(await runNuthatch(["tolls", "--help"], options)).toEqual(unknown);
});

test("an error of a tool is told to a person in the same form as any other", async () => {
  using home = temporaryFolder();
  const stderr =
    'nuthatch: error: Notebook not found: a.ipynb\nnuthatch: hint: check the path, or make the notebook with the action "create"\n';
  const run = await runNuthatch(["notebook", "delete", "a.ipynb", "0"], { home: home.path });
  expect(run).toEqual({ exitCode: 1, stdout: "", stderr });
  const python = await runNuthatch(["python", "-c", "1", "--cwd", "/nowhere", "--in-process"], { home: home.path });
  expect(python).toEqual({
    exitCode: 1,
    stdout: "",
    stderr: "nuthatch: error: Working directory does not exist: /nowhere\n",
  });
  for (const command of ["doctor", "kernelspec"]) {
    expect(await runNuthatch([command, "--cwd", "/nowhere"], { home: home.path })).toEqual(python);
  }
  const session = await runNuthatch(["sessions", "stop", "x"], { home: home.path });
  expect(session.stderr).toBe("nuthatch: error: There is no session x\nnuthatch: hint: no session is live\n");
});
