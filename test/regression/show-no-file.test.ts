import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { runNuthatch, temporaryFolder } from "../nuthatch.ts";

test("show refuses a named pipe and an endless device at once", async () => {
  using home = temporaryFolder();
  Bun.spawnSync(["mkfifo", join(home.path, "fifo.ipynb")]);
  for (const path of ["fifo.ipynb", ...(existsSync("/dev/zero") ? ["/dev/zero"] : [])]) {
    expect(await runNuthatch(["show", path], { home: home.path })).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: `nuthatch: error: ${path} is not a notebook that can be edited: it is not a regular file\n`,
    });
  }
});
