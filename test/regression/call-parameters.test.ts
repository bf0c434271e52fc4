// What a model gets wrong in a call's parameters, and what it is told.
import { expect, test } from "bun:test";
import { callTool, temporaryFolder } from "../nuthatch.ts";

async function refusal(tool: string, input: unknown) {
  using home = temporaryFolder();
  const { exitCode, text, result } = await callTool(tool, input, { home: home.path }, ["--in-process"]);
  expect([exitCode, result.details.code]).toEqual([1, "invalid_input"]);
  return text;
}

test("cells may mix text and objects, be one object, and have their code as source", async () => {
  using home = temporaryFolder();
  const run = async (cells: unknown) => {
    const called = await callTool("python", { cells }, { home: home.path }, ["--in-process", "--kernel", "bundled"]);
    return [called.exitCode, called.result.details.cells.map((cell: { output: string }) => cell.output)];
  };
  expect(await run(["1", { code: "2", title: null }, { source: "3" }])).toEqual([0, ["1\n", "2\n", "3\n"]]);
  expect(await run({ code: "4" })).toEqual([0, ["4\n"]]);
});

test.each<[unknown, string]>([
  [{ cells: [{ cod: "1" }] }, 'Error: unknown parameter "cod" of cells[0]\nHint: did you mean code?'],
  [{ cells: ["1", { title: "x" }] }, "Error: cells[1].code is required"],
  [{ cells: [{ code: 5 }] }, "Error: cells[0].code must be string, not 5"],
  [{ cells: ["1", 5] }, "Error: cells[1] must be an object or string, not 5"],
  [{ cells: 5 }, "Error: cells must be a list or string, not 5"],
  [{ cells: [] }, "Error: cells must be a list of at least one cell"],
  [{ cells: "1", session: "" }, "Error: session must be a name"],
  [{ cells: "1", timeout: {} }, "Error: timeout must be number, not an object"],
  [{ cells: "1", constructor: 1 }, 'Error: unknown parameter "constructor" of python'],
  [JSON.parse('{"cells":"1","__proto__":1}'), 'Error: unknown parameter "__proto__" of python'],
])("python %j is told what is wrong", async (input, message) => {
  expect(await refusal("python", input)).toStartWith(message);
});

test.each([
  [{ source: "x", content: "y" }, "source and content"],
  [{ content: "x", source: "y" }, "content and source"],
])("of %j both names are told", async (sources, names) => {
  const text = await refusal("notebook", { action: "edit", notebook_path: "a.ipynb", cell_index: 0, ...sources });
  expect(text).toBe(`Error: ${names} are the same parameter, and their values differ`);
});

test("an action that is misspelt is told the nearest one", async () => {
  const text = await refusal("notebook", { action: "edt", notebook_path: "a.ipynb" });
  expect(text).toMatch(/^Error: action must be .*, not "edt"\nHint: did you mean edit\?$/);
});

test("an item of a list is named in what is said of it", async () => {
  const edit = [{ action: "edit", cell_index: "first" }];
  const text = await refusal("run_notebook", { notebook_path: "a.ipynb", edit });
  expect(text).toBe('Error: edit[0].cell_index must be number, not "first"');
});
