import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeCellOutputs } from "../../src/notebook/cell-outputs.ts";
import { temporaryFolder } from "../nuthatch.ts";
import { canonical, codeCell, notebookOf } from "./notebooks.ts";

const STATE = "application/vnd.jupyter.widget-state+json";
const view = (id: string) => ({
  output_type: "display_data",
  metadata: {},
  data: { "application/vnd.jupyter.widget-view+json": { model_id: id, version_major: 2, version_minor: 0 } },
});
const model = (name: string, parts: string[] = []) => ({
  model_name: name,
  state: { children: parts.map((id) => `IPY_MODEL_${id}`) },
});

/** Writes a run of the first cell with its widgets, and gives the file's bytes. */
async function write(before: string, widgets: Record<string, unknown>): Promise<string> {
  using folder = temporaryFolder();
  const path = join(folder.path, "n.ipynb");
  writeFileSync(path, before);
  const run = { index: 0, id: "a", source: "1", executionCount: 1, outputs: [view("new")] };
  await writeCellOutputs({ path, cwd: "/" }, [run], widgets);
  return readFileSync(path, "utf8");
}

test("of stored widgets those stay that another cell shows, with all that they are made of", async () => {
  const cells = [codeCell("a", ["1"], [view("gone")], 1), codeCell("b", ["2"], [view("box")], 2)];
  const state = {
    gone: model("Gone"),
    box: model("Box", ["inner"]),
    inner: model("Inner", ["style"]),
    style: model("Style"),
    stray: model("Stray"),
  };
  const notebook = {
    ...notebookOf(cells),
    metadata: { a: 1, widgets: { [STATE]: { state, version_major: 2, version_minor: 0 }, other: {} }, z: 1 },
  };
  const written = JSON.parse(await write(canonical(notebook), { new: model("New") }));
  expect(Object.keys(written.metadata)).toEqual(["a", "widgets", "z"]);
  expect(Object.keys(written.metadata.widgets)).toEqual([STATE, "other"]);
  expect(Object.keys(written.metadata.widgets[STATE].state).sort()).toEqual(["box", "inner", "new", "style"]);
});

test("a notebook without metadata, or with none of widgets, gets them in its own layout, and is canonical still", async () => {
  const notebook = notebookOf([codeCell("a", ["1"])]);
  const written = await write(canonical(notebook), { new: model("New") });
  expect(written).toBe(canonical(JSON.parse(written)));
  const { metadata: _, ...bare } = notebook;
  const added = JSON.parse(await write(canonical(bare), { new: model("New") }));
  expect(Object.keys(added.metadata.widgets[STATE].state)).toEqual(["new"]);
  expect(added.cells[0].outputs).toEqual([view("new")]);
});
