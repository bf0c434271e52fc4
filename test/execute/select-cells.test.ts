import { expect, test } from "bun:test";
import { RunHistory } from "../../src/execute/run-history.ts";
import { type CellSelection, selectCells } from "../../src/execute/select-cells.ts";
import type { NotebookCell } from "../../src/notebook/read-cells.ts";
import { temporaryFolder } from "../nuthatch.ts";

const CELLS = ["a", "b", "note", "3", "e", "twice", "twice"].map(
  (id, index): NotebookCell => ({
    index,
    id,
    type: id === "note" ? "markdown" : "code",
    source: String(index),
    metadata: {},
    executionCount: null,
  }),
);

/** The indexes that a selection chooses, or what it says is wrong. */
function select(selection: CellSelection, cells = CELLS): number[] | string {
  using folder = temporaryFolder();
  try {
    return selectCells(cells, selection, new RunHistory(folder.path, "/n.ipynb")).map(({ index }) => index);
  } catch (error) {
    return (error as Error).message;
  }
}

test("cells are chosen by index, range and id, in the notebook's order, and only code cells", () => {
  expect(select(undefined)).toEqual([0, 1, 3, 4, 5, 6]);
  expect(select("4, 0-2")).toEqual([0, 1, 4]);
  expect(select("4-")).toEqual([4, 5, 6]);
  expect(select(["e", "a"])).toEqual([0, 4]);
  expect(select("e,b")).toEqual([1, 4]);
  expect(select("from:e")).toEqual([4, 5, 6]);
  expect(select("until: note")).toEqual([0, 1]);
  expect(select("from:5")).toEqual([5, 6]);
  expect(select([0, 4])).toEqual([0, 4]);
  expect(select("2")).toEqual([]);
  expect(select(["from:e"])).toEqual([4, 5, 6]);
  expect(select(["stale"])).toEqual([0, 1, 3, 4, 5, 6]);
  expect(select(["3"])).toEqual([3]);
});

test("a name that is an id and an index is an id in a list, and an index in a text", () => {
  const renamed = CELLS.map((cell) => (cell.id === "e" ? { ...cell, id: "1" } : cell));
  expect(select(["1"], renamed)).toEqual([4]);
  expect(select("1", renamed)).toEqual([1]);
  expect(select("12345678", [{ ...(CELLS[0] as NotebookCell), id: "12345678" }])).toEqual([0]);
});

test("what names no cell is said, with what would be right", () => {
  expect(select("7")).toBe("cells: 7 is out of range; the valid range is 0-6");
  expect(select("2-9")).toBe("cells: 2-9 is out of range; the valid range is 0-6");
  expect(select("3-1")).toBe("cells: 3-1 is out of range; the valid range is 0-6");
  expect(select("0", [])).toBe("cells: 0 is out of range; the notebook has no cells");
  expect(select("gone")).toBe('cells: "gone" is no id, index or range');
  expect(select("from:gone")).toBe('cells: "gone" is no id, index or range');
  expect(select("")).toBe('cells: "" is no id, index or range');
  expect(select([])).toBe("cells: the list is empty");
  expect(select(["twice"])).toBe("cells: the id twice is that of the cells 5, 6");
  expect(select("stale")).toEqual([0, 1, 3, 4, 5, 6]);
});
