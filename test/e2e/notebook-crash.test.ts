import { describe, expect, test } from "bun:test";
import { linkSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { applyAction } from "../notebook/apply.ts";
import { canonical, codeCell, notebookOf } from "../notebook/notebooks.ts";
import { BINARY, callTool, temporaryFolder } from "../nuthatch.ts";

/** Starts an edit and kills it after some milliseconds; whether it was still running then. */
async function killedEdit(home: string, path: string, content: string, after: number): Promise<boolean> {
  const input = JSON.stringify({ action: "edit", notebook_path: path, cell_index: 7, content });
  const env = { ...process.env, NUTHATCH_HOME: home };
  const child = Bun.spawn([BINARY, "call", "notebook", input], { env, stdout: "ignore", stderr: "ignore" });
  await Promise.race([child.exited, Bun.sleep(after)]);
  child.kill("SIGKILL");
  await child.exited;
  return child.signalCode === "SIGKILL";
}

/** What an edit takes undisturbed, in milliseconds. */
async function usualTime(home: string, path: string): Promise<number> {
  const began = performance.now();
  await killedEdit(home, path, "warm", 60_000);
  return performance.now() - began;
}

function fiveMegabytes(): string {
  const image = "iVBORw0KGgo".repeat(9500);
  const output = { data: { "image/png": image }, metadata: {}, output_type: "display_data" };
  return canonical(notebookOf(Array.from({ length: 50 }, (_, index) => codeCell(`c${index}`, ["x"], [output]))));
}

describe("a writer that is killed at any moment", () => {
  test("leaves the old or the new notebook of 5 MB, 300 times, and the next call works", async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "n.ipynb");
    writeFileSync(path, fiveMegabytes());
    const span = await usualTime(folder.path, path);
    let bytes: Buffer = readFileSync(path);
    let kills = 0;
    for (let edit = 0; edit < 300; edit++) {
      const content = `edit ${edit}`;
      if (await killedEdit(folder.path, path, content, Math.random() * span * 1.1)) kills++;
      const found = readFileSync(path);
      const isOld = found.equals(bytes);
      const isNew = !isOld && found.equals(applyAction(bytes, { action: "edit", index: 7, content }).bytes);
      expect([edit, isOld || isNew]).toEqual([edit, true]);
      bytes = found;
    }
    expect(kills).toBeGreaterThan(50);
    const last = await callTool("notebook", { action: "edit", path, index: 7, content: "end" }, { home: folder.path });
    expect(last.exitCode).toBe(0);
    const { bytes: expected } = applyAction(bytes, { action: "edit", index: 7, content: "end" });
    expect(readFileSync(path).equals(expected)).toBe(true);
    expect(readdirSync(folder.path).filter((name) => name.includes("nuthatch-"))).toEqual([]);
  }, 120_000);

  test("in place, where a file has hard links, leaves what the next call makes the old or the new notebook", async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "n.ipynb");
    writeFileSync(path, fiveMegabytes());
    linkSync(path, join(folder.path, "other.ipynb"));
    const span = await usualTime(folder.path, path);
    let bytes: Buffer = readFileSync(path);
    for (let edit = 0; edit < 60; edit++) {
      const content = `edit ${edit}`;
      await killedEdit(folder.path, path, content, (0.3 + Math.random() * 0.7) * span);
      const read = await callTool("notebook", { action: "read", path, index: 7 }, { home: folder.path });
      expect([edit, read.exitCode]).toEqual([edit, 0]);
      const found = readFileSync(path);
      const { bytes: changed } = applyAction(bytes, { action: "edit", index: 7, content });
      expect([edit, found.equals(bytes) || found.equals(changed)]).toEqual([edit, true]);
      bytes = found;
    }
    const last = await callTool("notebook", { action: "edit", path, index: 7, content: "end" }, { home: folder.path });
    expect(last.exitCode).toBe(0);
    expect(readdirSync(folder.path).filter((name) => name.includes("nuthatch-"))).toEqual([]);
  }, 120_000);
});
