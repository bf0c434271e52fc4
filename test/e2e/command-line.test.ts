import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { VERSION } from "../../src/version.ts";
import { callTool, runNuthatch, temporaryFolder } from "../nuthatch.ts";

test("--version and --help go to standard output with status 0", async () => {
  using home = temporaryFolder();
  expect(await runNuthatch(["--version"], { home: home.path })).toEqual({
    exitCode: 0,
    stdout: `${VERSION}\n`,
    stderr: "",
  });
  const help = await runNuthatch(["--help"], { home: home.path });
  expect(help.exitCode).toBe(0);
  expect(help.stdout).toContain("call <tool> [json]");
  expect(await runNuthatch([], { home: home.path })).toEqual(help);
});

test("an unknown command, option or tool is an error with status 1 that names the nearest one", async () => {
  using home = temporaryFolder();
  expect(await runNuthatch(["tolls"], { home: home.path })).toEqual({
    exitCode: 1,
    stdout: "",
    stderr: 'nuthatch: error: unknown command "tolls"\nnuthatch: hint: did you mean tools?\n',
  });
  const option = await runNuthatch(["tools", "--formt", "mcp"], { home: home.path });
  expect([option.exitCode, option.stdout]).toEqual([1, ""]);
  expect(option.stderr).toContain("did you mean --format?");
  for (const name of ["constructor", "__proto__"])
    expect((await callTool(name, {}, { home: home.path })).result.details.code).toBe("unknown_tool");
  const tool = await callTool("notebok", {}, { home: home.path });
  expect([tool.exitCode, tool.result.details.code]).toEqual([1, "unknown_tool"]);
});

test("an error names a file without what its name would do to a terminal", async () => {
  using home = temporaryFolder();
  const { stderr } = await runNuthatch(["show", "a\x1b]0;title\x07\u202eb.ipynb"], { home: home.path });
  expect(stderr).toContain("Notebook not found: a␛]0;title␇\ufffdb.ipynb\n");
});

test("parameters that are not JSON are an error in JSON", async () => {
  using home = temporaryFolder();
  const run = await runNuthatch(["call", "notebook", "{"], { home: home.path });
  expect(run.exitCode).toBe(1);
  expect(JSON.parse(run.stdout)).toMatchObject({
    isError: true,
    details: { code: "invalid_input", parameter: "json" },
  });
});

test("an unknown or ill-typed setting names the file, the key and what is allowed", async () => {
  using home = temporaryFolder();
  const run = async (config: string) => {
    await Bun.write(join(home.path, "config", "config.json"), config);
    return await runNuthatch(["tools"], { home: home.path });
  };
  const unknown = await run('{"colour": 1}');
  expect(unknown.exitCode).toBe(1);
  expect(unknown.stderr).toContain(`${home.path}/config/config.json: "colour" is not a setting`);
  expect((await run('{"maxSessions": "four"}')).stderr).toContain('"maxSessions" must be number, not "four"');
  await Bun.write(join(home.path, "config", "config.json"), "{}");
  const variable = await runNuthatch(["tools"], { home: home.path, env: { NUTHATCH_MAX_SESSIONS: "none" } });
  expect(variable.stderr).toContain("NUTHATCH_MAX_SESSIONS");
  const misspelt = await runNuthatch(["tools"], { home: home.path, env: { NUTHATCH_MAX_SESSION: "4" } });
  expect([misspelt.exitCode, misspelt.stderr]).toEqual([
    0,
    "nuthatch: warning: unknown variable NUTHATCH_MAX_SESSION\n",
  ]);
});

test("a bunfig.toml preload and a .env of the current directory are not loaded", async () => {
  using home = temporaryFolder();
  writeFileSync(join(home.path, "bunfig.toml"), 'preload = ["./evil.ts"]\n');
  writeFileSync(join(home.path, "evil.ts"), 'require("node:fs").writeFileSync("evil.txt", "ran");\n');
  writeFileSync(join(home.path, ".env"), "NUTHATCH_MAX_SESSIONS=none\n");
  const run = await runNuthatch(["tools"], { home: home.path, cwd: home.path });
  expect([run.exitCode, run.stderr]).toEqual([0, ""]);
  expect(await Bun.file(join(home.path, "evil.txt")).exists()).toBe(false);
});
