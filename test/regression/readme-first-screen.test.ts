import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { BINARY, temporaryFolder } from "../nuthatch.ts";

const README = readFileSync(join(import.meta.dir, "..", "..", "README.md"), "utf8");

test("what the README's first screen shows works word for word in a new folder", () => {
  using home = temporaryFolder();
  mkdirSync(join(home.path, "dist"));
  symlinkSync(BINARY, join(home.path, "dist", "nuthatch"));
  const section = README.split("\n## ").find((part) => part.startsWith("Try it")) as string;
  const blocks = [...section.matchAll(/```sh\n(.*?)```/gs)].map((match) => match[1] as string);
  const commands = blocks.filter((block) => !block.startsWith("./scripts/")).join("");
  const run = Bun.spawnSync(["bash", "-ec", commands], {
    cwd: home.path,
    env: { ...process.env, NUTHATCH_HOME: home.path },
  });
  expect([run.exitCode, run.stderr.toString()]).toEqual([0, ""]);
  const results = run.stdout
    .toString()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const promised = /```text\n(.*?)```/s.exec(section)?.[1] as string;
  expect(results[0].content[0].text).toBe(promised);
  expect(results.at(-1).details.executed).toBe(1);
});
