import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { callTool, temporaryFolder } from "../nuthatch.ts";

const KERNEL = { NUTHATCH_KERNEL: "bundled" };

test("a new notebook below a file, or with a name that is too long, is refused with what is wrong", async () => {
  using home = temporaryFolder();
  writeFileSync(join(home.path, "file"), "");
  const options = { home: home.path, env: KERNEL };
  for (const more of [{}, { dry_run: true }]) {
    const create = async (path: string) =>
      (await callTool("notebook", { action: "create", notebook_path: path, ...more }, options)).text;
    expect(await create("file/a.ipynb")).toContain("cannot write file/a.ipynb: its folder does not exist");
    expect(await create(`${"x".repeat(300)}.ipynb`)).toContain("name too long");
  }
  await callTool("notebook", { action: "create", notebook_path: "a.ipynb", content: "1" }, options);
  const copy = await callTool("run_notebook", { notebook_path: "a.ipynb", save_as: "file/b.ipynb" }, options, [
    "--in-process",
  ]);
  expect(copy.text).toContain("cannot write file/b.ipynb: its folder does not exist");
});
