import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { canonical, codeCell, notebookOf } from "../notebook/notebooks.ts";
import { callTool, temporaryFolder } from "../nuthatch.ts";

const home = temporaryFolder();
const GOOD = canonical(notebookOf([codeCell("a", ["1"]), codeCell("b", ["2"])]));
let socket: Server;

async function call(input: Record<string, unknown>) {
  const { result, exitCode, text } = await callTool(
    "notebook",
    { action: "edit", content: "x", ...input },
    { home: home.path },
  );
  return { code: result.details.code as string | undefined, exitCode, text, details: result.details };
}

function write(name: string, content: string | Uint8Array): string {
  writeFileSync(join(home.path, name), content);
  return name;
}

beforeAll(async () => {
  write("good.ipynb", GOOD);
  mkdirSync(join(home.path, "folder.ipynb"));
  Bun.spawnSync(["mkfifo", join(home.path, "fifo.ipynb")]);
  symlinkSync("loop.ipynb", join(home.path, "loop.ipynb"));
  socket = createServer();
  await new Promise<void>((resolve) => socket.listen(join(home.path, "socket.ipynb"), resolve));
});

afterAll(() => {
  socket.close();
  home[Symbol.dispose]();
});

describe("the notebook tool names what is wrong, ends with status 1 and leaves the file alone:", () => {
  const nbformat3 = JSON.stringify({ metadata: {}, nbformat: 3, nbformat_minor: 0, worksheets: [{ cells: [] }] });
  const deep = "[".repeat(100_000);
  const cases: [string, string | Uint8Array, string, RegExp][] = [
    ["an empty file", "", "invalid_json", /empty at line 1, column 1/],
    ["white space", " \n\t\n", "invalid_json", /the end of the file at line 3, column 1/],
    ["an empty object", "{}", "invalid_notebook", /no "cells"/],
    ["an array", "[]", "invalid_notebook", /not an object/],
    ["a number", "4", "invalid_notebook", /not an object/],
    ["cells that are no array", '{"cells":{},"nbformat":4}', "invalid_notebook", /"cells" is not an array/],
    ["a cell that is no object", '{"cells":[{},7],"nbformat":4}', "invalid_notebook", /cell 1 is not an object/],
    ["a truncated file", GOOD.slice(0, 150), "invalid_json", /line \d+, column \d+/],
    ["a trailing comma", '{"cells": [\n {},\n]}', "invalid_json", /expected a value, found "\]" at line 3, column 1/],
    ["a raw newline in a string", '{"cells":[{"source":"a\nb"}]}', "invalid_json", /0x0a.* line 1, column 23/],
    ["text after the end", `${GOOD}x`, "invalid_json", /found "x"/],
    ["nbformat 3", nbformat3, "invalid_notebook", /nbformat 3\nHint: upgrade it with: jupyter nbconvert/],
    ["NUL bytes", "\0\0\0\0\0\0", "invalid_json", /0x00 at line 1, column 1/],
    [
      "UTF-16 with a mark",
      Buffer.from(`\ufeff${GOOD}`, "utf16le"),
      "invalid_notebook",
      /UTF-16, not UTF-8\nHint: .*iconv -f UTF-16/,
    ],
    ["UTF-16 without a mark", Buffer.from(GOOD, "utf16le"), "invalid_notebook", /UTF-16/],
    [
      "invalid UTF-8",
      Buffer.concat([Buffer.from('{"cells":[],\n"a":"'), Buffer.from([0xff]), Buffer.from('"}')]),
      "invalid_notebook",
      /line 2 is not UTF-8/,
    ],
    ["100,000 open brackets", deep, "invalid_json", /the end of the file/],
    [
      "nesting of 100,000",
      `{"cells":[],"nbformat":4,"metadata":${deep}${"]".repeat(100_000)}}`,
      "invalid_notebook",
      /100001 levels deep/,
    ],
  ];
  test.each(cases)("%s", async (_name, content, code, text) => {
    const path = write("bad.ipynb", content);
    for (const action of ["edit", "read"]) {
      const found = await call({ action, notebook_path: path, cell_index: 0 });
      expect([found.code, found.exitCode]).toEqual([code, 1]);
      expect(found.text).toMatch(text);
      expect(found.text).toStartWith("Error: bad.ipynb ");
    }
    expect(readFileSync(join(home.path, path))).toEqual(Buffer.from(content as string));
  });

  test.each([
    ["a missing file", "none.ipynb", "notebook_not_found", "Error: Notebook not found: none.ipynb\n"],
    ["a file under a file", "good.ipynb/x.ipynb", "notebook_not_found", "Error: Notebook not found: "],
    ["a folder", "folder.ipynb", "invalid_notebook", "it is a directory"],
    ["a named pipe", "fifo.ipynb", "invalid_notebook", "not a regular file"],
    ["a socket", "socket.ipynb", "invalid_notebook", "not a regular file"],
    ["a link to itself", "loop.ipynb", "read_failed", "cannot read loop.ipynb"],
    ["an endless device", "/dev/zero", "invalid_notebook", "not a regular file"],
  ])("%s", async (_name, path, code, text) => {
    for (const action of ["edit", "read"]) {
      const found = await call({ action, notebook_path: path, cell_index: 0 });
      expect([found.code, found.exitCode]).toEqual([code, 1]);
      expect(found.text).toContain(text);
    }
  });

  test.each<[Record<string, unknown>, string, string]>([
    [{ cell_index: 2 }, "cell_index_out_of_range", "the valid range is 0-1"],
    [{ cell_index: -1 }, "cell_index_out_of_range", "the valid range is 0-1"],
    [{ action: "insert", cell_index: 3 }, "cell_index_out_of_range", "the valid range is 0-2"],
    [{ action: "delete", cell_index: "2" }, "cell_index_out_of_range", "0-1"],
    [{ action: "move", cell_index: 0, to_index: 2 }, "cell_index_out_of_range", "to_index 2 is out of range"],
    [{ cell_id: "c" }, "cell_not_found", 'no cell has the id "c"'],
    [{ cell_id: "a", cell_index: 1 }, "invalid_input", "do not agree"],
    [{ action: "insert", cell_id: "a", cell_index: 0 }, "invalid_input", "do not agree"],
    [{ cell_index: 0, content: undefined }, "content_required", "content is required"],
    [{ action: "insert", content: null }, "content_required", "content is required"],
    [{}, "invalid_input", "cell_index or cell_id is required"],
    [{ cell_index: 1.5 }, "invalid_input", "cell_index must be a whole number"],
    [{ cell_index: "one" }, "invalid_input", "cell_index must be number"],
    [{ cell_idx: 1 }, "invalid_input", "did you mean cell_id?"],
    [{ cell_index: 0, content: ["1"] }, "invalid_input", "content must be string"],
    [{ action: "remove", cell_index: 0 }, "invalid_input", "action must be"],
    [{ action: "replace", cell_index: 0, old: "3", content: "4" }, "invalid_input", "occurs 0 times"],
    [{ action: "replace", cell_index: 0, content: "4" }, "invalid_input", "old is required"],
    [{ action: "move", cell_index: 0 }, "invalid_input", "to_index is required"],
    [{ action: "set_type", cell_index: 0 }, "invalid_input", "cell_type is required"],
    [{ action: "create" }, "notebook_exists", "good.ipynb exists already"],
    [{ action: "read", range: "a-b" }, "invalid_input", "range"],
    [{ action: "read", range: "7" }, "cell_index_out_of_range", "0-1"],
    [{ action: "read", search: "/(/" }, "invalid_input", "regular expression"],
    [{ cell_index: 0, if_revision: "0" }, "revision_mismatch", "was changed by someone else"],
  ])("%j", async (input, code, text) => {
    const found = await call({ notebook_path: "good.ipynb", ...input });
    expect([found.code, found.exitCode]).toEqual([code, 1]);
    expect(found.text).toContain(text);
    expect(readFileSync(join(home.path, "good.ipynb"), "utf8")).toBe(GOOD);
  });

  test("an id that two cells have", async () => {
    const path = write("twice.ipynb", canonical(notebookOf(["x", "a", "b", "a"].map((id) => codeCell(id, ["1"])))));
    const found = await call({ notebook_path: path, cell_id: "a" });
    expect(found.code).toBe("cell_id_ambiguous");
    expect(found.details.indexes).toEqual([1, 3]);
    expect(found.text).toContain("cells 1, 3");
    expect((await call({ notebook_path: path, cell_id: "a", cell_index: 3 })).details.cellIndex).toBe(3);
    expect((await call({ action: "insert", notebook_path: path, cell_id: "a", cell_index: 2 })).details.cellIndex).toBe(
      2,
    );
  });

  test("an empty notebook has no valid index", async () => {
    const path = write("empty.ipynb", canonical(notebookOf([])));
    const found = await call({ notebook_path: path, cell_index: 0 });
    expect([found.code, found.text.includes("the notebook has no cells")]).toEqual(["cell_index_out_of_range", true]);
    expect((await call({ action: "create", notebook_path: "no/folder.ipynb" })).code).toBe("write_failed");
  });
});
