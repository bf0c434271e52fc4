import { expect, test } from "bun:test";
import { readInput } from "../../src/tools/input.ts";
import { pythonTool } from "../../src/tools/python.ts";
import { runNotebookTool } from "../../src/tools/run-notebook.ts";

const read = (input: Record<string, unknown>) => readInput(runNotebookTool, { notebook_path: "n.ipynb", ...input });

test("an edit is met in the ways that models write it: alone, as text, with other names and numbers as text", () => {
  const meant = [{ action: "edit", cell_index: 1, content: "x" }];
  expect(read({ edit: { action: "edit", index: "1", source: "x" } }).edit).toEqual(meant as never);
  expect(read({ edit: '[{"action":"edit","cell_index":1,"new_source":"x"}]' }).edit).toEqual(meant as never);
  expect(read({ edits: meant }).edit).toEqual(meant as never);
  expect(read({ parameters: '{"a":1}' }).parameters).toEqual({ a: 1 });
  expect(read({ cells: 3, timeout: "5" })).toMatchObject({ cells: 3, timeout: 5 });
});

test("a list that came as text is that list, but text that is code stays code", () => {
  const code = (cells: string) => readInput(pythonTool, { cells }).cells.map((cell) => cell.code);
  expect(read({ cells: '["a", "b"]' }).cells).toEqual(["a", "b"]);
  expect(read({ cells: " [0, 2]" }).cells).toEqual([0, 2]);
  expect(code('[{"code":"x"},{"source":"y"}]')).toEqual(["x", "y"]);
  for (const text of ['["x", "y"]', "[1, 2]", "[]", '[{"name":"x"}]', "[x for x in y]"])
    expect(code(text)).toEqual([text]);
});

test("what is wrong in an edit is named with its place", () => {
  expect(() =>
    read({
      edit: [
        { action: "insert", content: "" },
        { action: "edit", contents: "x" },
      ],
    }),
  ).toThrow('unknown parameter "contents" of edit[1]');
  expect(() => read({ edit: [{ action: "create" }] })).toThrow("action must be");
  expect(() => read({ edit: ["x"] })).toThrow("edit[0] must be an object");
  expect(() => read({ edit: "x = 1" })).toThrow("edit must be");
  expect(() => read({ parameters: "x" })).toThrow("parameters must be");
});
