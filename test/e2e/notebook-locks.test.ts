import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { canonical, codeCell, notebookOf } from "../notebook/notebooks.ts";
import { callTool, temporaryFolder } from "../nuthatch.ts";

const HAS_FLOCK = Bun.which("flock") !== null;

test("8 processes that insert 50 cells each at once lose none", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "n.ipynb");
  writeFileSync(path, canonical(notebookOf([codeCell("first", ["0"])])));
  const writer = async (name: number) => {
    for (let cell = 0; cell < 50; cell++) {
      const content = `writer ${name} cell ${cell}`;
      const { exitCode, text } = await callTool("notebook", { action: "insert", path, content }, { home: folder.path });
      expect([text, exitCode]).toEqual([text, 0]);
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, name) => writer(name)));
  const text = readFileSync(path, "utf8");
  const { cells } = JSON.parse(text) as { cells: { id: string; source: string[] }[] };
  expect(text).toBe(canonical(JSON.parse(text)));
  expect(cells.length).toBe(401);
  expect(new Set(cells.map((cell) => cell.id)).size).toBe(401);
  expect(new Set(cells.map((cell) => cell.source.join(""))).size).toBe(401);
}, 120_000);

test.skipIf(!HAS_FLOCK)(
  "a lock held for 10 seconds is an error that names the holder; one whose holder died is free (needs flock)",
  async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "n.ipynb");
    writeFileSync(path, canonical(notebookOf([codeCell("first", ["0"])])));
    const holder = Bun.spawn(["flock", path, "sh", "-c", "echo held; exec sleep 60"], { stdout: "pipe" });
    await holder.stdout.getReader().read();
    const refused = await callTool("notebook", { action: "delete", path, index: 0 }, { home: folder.path });
    expect(refused.result.details).toMatchObject({ code: "notebook_locked", pid: holder.pid });
    expect(refused.text).toContain(`locked by process ${holder.pid}; waited 10 seconds`);
    const children = Bun.spawnSync(["pgrep", "-P", String(holder.pid)])
      .stdout.toString()
      .trim()
      .split("\n");
    for (const pid of [String(holder.pid), ...children]) process.kill(Number(pid), "SIGKILL");
    await holder.exited;
    const began = performance.now();
    expect((await callTool("notebook", { action: "delete", path, index: 0 }, { home: folder.path })).exitCode).toBe(0);
    expect(performance.now() - began).toBeLessThan(5000);
  },
  60_000,
);
