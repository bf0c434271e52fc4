import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { clearOutputs } from "../../src/notebook/cell-edits.ts";
import { type CellRun, writeCellOutputs } from "../../src/notebook/cell-outputs.ts";
import { changeNotebook, readNotebook } from "../../src/notebook/notebook-file.ts";
import { readCell, readCells, readOutputs } from "../../src/notebook/read-cells.ts";
import { temporaryFolder } from "../nuthatch.ts";
import { canonical, codeCell, corpusFiles, HAS_CORPUS, markdownCell, notebookOf } from "./notebooks.ts";

async function readRuns(path: string): Promise<CellRun[]> {
  const { document } = await readNotebook(path, "/");
  return document.cells
    .map((_, index) => ({ ...readCell(document, index), outputs: readOutputs(document, index) }))
    .filter((cell) => cell.type === "code");
}

describe("writing outputs back", () => {
  test.skipIf(!HAS_CORPUS)(
    "gives the bytes that nbformat had written, for every such notebook of the corpus",
    async () => {
      using folder = temporaryFolder();
      const path = join(folder.path, "copy.ipynb");
      const different: string[] = [];
      const files = corpusFiles().filter(
        (file) => file.baseline.nbformat === "same" && !file.tags.includes("TRANSIENT"),
      );
      expect(files.length).toBeGreaterThan(20);
      for (const file of files) {
        const original = readFileSync(file.path);
        writeFileSync(path, original);
        const runs = await readRuns(path);
        await changeNotebook({ path, cwd: "/" }, (document) => ({
          replacements: document.cells.flatMap((_, index) => clearOutputs(document, index)),
        }));
        const { skipped } = await writeCellOutputs({ path, cwd: "/" }, runs);
        if (skipped.length > 0 || !readFileSync(path).equals(original)) different.push(file.file);
      }
      expect(different).toEqual([]);
    },
  );

  test("splits streams and text as nbformat does, sorts keys, and drops transient data", async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "n.ipynb");
    writeFileSync(path, canonical(notebookOf([codeCell("a", ["1"])])));
    const outputs = [
      { output_type: "stream", name: "stdout", text: "10%\r20%\nend" },
      {
        output_type: "display_data",
        transient: { display_id: "x" },
        metadata: {},
        data: { "text/plain": "<Figure>", "image/png": "iVBORw0K\n", "application/json": { b: 1, a: [] } },
      },
    ];
    await writeCellOutputs({ path, cwd: "/" }, [{ index: 0, id: "a", source: "1", executionCount: 7, outputs }]);
    const stored = [
      { name: "stdout", output_type: "stream", text: ["10%\r", "20%\n", "end"] },
      {
        data: { "application/json": { a: [], b: 1 }, "image/png": "iVBORw0K\n", "text/plain": ["<Figure>"] },
        metadata: {},
        output_type: "display_data",
      },
    ];
    expect(readFileSync(path, "utf8")).toBe(canonical(notebookOf([codeCell("a", ["1"], stored, 7)])));
  });

  test("adds the members that a cell lacks, and sets members of its metadata beside the others", async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "n.ipynb");
    const cell = { cell_type: "code", id: "a", metadata: { tags: ["x"] }, source: ["1"] };
    writeFileSync(path, canonical(notebookOf([cell])));
    const times = { "shell.execute_reply": "2026-01-01T00:00:00Z" };
    const run = { index: 0, id: "a", source: "1", executionCount: 1, outputs: [], metadata: { execution: times } };
    await writeCellOutputs({ path, cwd: "/" }, [run]);
    const expected = { ...codeCell("a", ["1"], [], 1), metadata: { execution: times, tags: ["x"] } };
    expect(readFileSync(path, "utf8")).toBe(canonical(notebookOf([expected])));
  });

  test("skips a cell whose source is no longer the one that ran, and follows a cell that moved", async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "n.ipynb");
    const cells = [markdownCell(undefined, ["new"]), codeCell(undefined, ["one"]), codeCell(undefined, ["changed"])];
    writeFileSync(path, canonical(notebookOf(cells, 4)));
    const run = (index: number, source: string) => ({ index, source, executionCount: index, outputs: [] });
    const result = await writeCellOutputs({ path, cwd: "/" }, [run(0, "one"), run(1, "two")]);
    expect(result.written).toEqual([1]);
    expect(result.skipped.map((skipped) => skipped.source)).toEqual(["two"]);
    expect((await readCells(path, "/")).cells.map((cell) => cell.executionCount)).toEqual([null, 0, null]);
  });
});
