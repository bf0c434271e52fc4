import { expect, test } from "bun:test";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { callTool, runNuthatch, temporaryFolder } from "../nuthatch.ts";

test("a dry run of create makes no file and shows the one it would make", async () => {
  using home = temporaryFolder();
  const path = join(home.path, "new.ipynb");
  const run = await runNuthatch(["notebook", "create", "new.ipynb", "--content", "1", "--dry-run"], {
    home: home.path,
  });
  expect([run.exitCode, existsSync(path)]).toEqual([0, false]);
  expect(run.stdout).toStartWith("--- /dev/null\n+++ new.ipynb\n@@ -0,0 +1,");
  const input = { action: "create", notebook_path: "new.ipynb", content: "1" };
  const { text, result } = await callTool("notebook", { ...input, dry_run: true }, { home: home.path });
  expect(text).toBe("Dry run, nothing is written: Created new.ipynb with one code cell.");
  expect([result.details.diff, existsSync(path)]).toEqual([run.stdout, false]);
  await callTool("notebook", input, { home: home.path });
  const added = run.stdout.split("\n").filter((line) => line.startsWith("+") && !line.startsWith("+++"));
  expect(`${added.map((line) => line.slice(1)).join("\n")}\n`).toBe(await Bun.file(path).text());
});

test("a dry run of create refuses what create would refuse", async () => {
  using home = temporaryFolder();
  writeFileSync(join(home.path, "there.ipynb"), "");
  const code = async (path: string) => {
    const input = { action: "create", notebook_path: path, dry_run: true };
    return (await callTool("notebook", input, { home: home.path })).result.details.code;
  };
  expect([await code("there.ipynb"), await code("no/folder.ipynb")]).toEqual(["notebook_exists", "write_failed"]);
});

test("a dry run of read reads", async () => {
  using home = temporaryFolder();
  await callTool("notebook", { action: "create", notebook_path: "a.ipynb", content: "1" }, { home: home.path });
  const run = await runNuthatch(["notebook", "read", "a.ipynb", "--dry-run"], { home: home.path });
  expect(run.stdout).toContain("cell 0 code");
});

test("a plugin that refuses writes refuses a new notebook too", async () => {
  using home = temporaryFolder();
  mkdirSync(join(home.path, "config", "plugins"), { recursive: true });
  writeFileSync(
    join(home.path, "config", "plugins", "guard.js"),
    `export default { name: "guard", hooks: { notebookWrite: ({ content }) => JSON.parse(content).nbformat === 4 ? "not today" : true } };`,
  );
  const input = { action: "create", notebook_path: "a.ipynb" };
  const { result } = await callTool("notebook", input, { home: home.path });
  expect([result.details.code, existsSync(join(home.path, "a.ipynb"))]).toEqual(["write_refused", false]);
});
