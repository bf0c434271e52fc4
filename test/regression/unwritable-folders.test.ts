// Commands that write say what they cannot write and what helps, where they only gave the system's words.
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { runNuthatch, temporaryFolder } from "../nuthatch.ts";

test.each<[command: string, words: string[], below: string, hint: string]>([
  ["trust", ["trust"], "state/trusted-projects.json", "set NUTHATCH_HOME to a folder of your own"],
  ["serve", ["serve", "--port", "0"], "runtime", "set NUTHATCH_HOME to a folder of your own"],
  ["kernelspec", ["kernelspec", "install", "--prefix", "."], "share/jupyter/kernels/nuthatch", "--prefix <dir> names"],
])("%s names the file that it cannot write", async (_, words, below, hint) => {
  using folder = temporaryFolder();
  const file = join(folder.path, "file");
  writeFileSync(file, "");
  const { exitCode, stderr } = await runNuthatch(
    words.map((word) => (word === "." ? file : word)),
    { home: file, cwd: folder.path },
  );
  expect(stderr).toContain(`nuthatch: error: cannot write ${file}/${below}: ENOTDIR`);
  expect(stderr).toContain(`nuthatch: hint: ${hint}`);
  expect(exitCode).toBe(1);
});
