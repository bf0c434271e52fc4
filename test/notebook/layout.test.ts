import { describe, expect, test } from "bun:test";
import type { NotebookAction } from "../../src/notebook/actions.ts";
import { applyAction } from "./apply.ts";

function apply(text: string, action: NotebookAction): string {
  return applyAction(Buffer.from(text), action).bytes.toString();
}

const INSERT: NotebookAction = { action: "insert", index: 1, content: "a\nb", cellType: "markdown" };

describe("an inserted cell looks like its neighbours", () => {
  test("indented by tabs, with CRLF and a space before colons", () => {
    const before =
      '{\r\n\t"cells" : [\r\n\t\t{\r\n\t\t\t"cell_type" : "raw",\r\n\t\t\t"source" : [],\r\n\t\t\t"metadata" : {}\r\n\t\t}\r\n\t],\r\n\t"nbformat" : 4\r\n}';
    const cell =
      '\t\t{\r\n\t\t\t"cell_type" : "markdown",\r\n\t\t\t"source" : [\r\n\t\t\t\t"a\\n",\r\n\t\t\t\t"b"\r\n\t\t\t],\r\n\t\t\t"metadata" : {}\r\n\t\t}';
    expect(apply(before, INSERT)).toBe(before.replace("\t\t}\r\n\t],", `\t\t},\r\n${cell}\r\n\t],`));
  });

  test("its members in the order of a cell of its type", () => {
    const cells =
      '{"source":[],"metadata":{},"cell_type":"markdown"},\n{"cell_type":"code","metadata":{},"execution_count":1,"outputs":[],"source":["1"]}';
    const before = `{"cells":[\n${cells}\n],"nbformat":4}`;
    expect(apply(before, INSERT)).toContain(
      '\n{"source":["a\\n","b"],"metadata":{},"cell_type":"markdown"},\n{"cell_type":"code"',
    );
    const code = apply(before, { ...INSERT, cellType: "code" });
    expect(code).toContain(
      '\n{"cell_type":"code","metadata":{},"execution_count":null,"outputs":[],"source":["a\\n","b"]},\n',
    );
  });

  test("without indentation, and a cell to a line", () => {
    const before = '{\n"cells": [\n{"cell_type": "raw", "metadata": {}, "source": ["1"]}\n],\n"nbformat": 4\n}\n';
    expect(apply(before, INSERT)).toBe(
      '{\n"cells": [\n{"cell_type": "raw", "metadata": {}, "source": ["1"]},\n{"cell_type": "markdown", "metadata": {}, "source": ["a\\n", "b"]}\n],\n"nbformat": 4\n}\n',
    );
  });

  test("in a notebook without cells, indented as the notebook is", () => {
    const before = '{\n    "cells": [],\n    "nbformat": 4,\n    "nbformat_minor": 5\n}\n';
    const after = apply(before, { action: "insert", content: "x", cellType: "raw" });
    expect(after).toBe(`${JSON.stringify(JSON.parse(after), null, 4)}\n`);
    expect(apply(after, { action: "delete", index: 0 })).toBe(before);
  });
});

describe("a source", () => {
  const file = (source: string, more = "") =>
    `{\n "cells": [\n  {\n   "source": ${source}\n  }${more}\n ],\n "nbformat": 4\n}\n`;

  test("that was one string becomes a list, laid out as the file's lists are", () => {
    expect(apply(file('"one"'), { action: "edit", index: 0, content: "a\nb" })).toBe(
      file('[\n    "a\\n",\n    "b"\n   ]'),
    );
    const other = ',\n  {\n   "source": ["x", "y"]\n  }';
    expect(apply(file('"one"', other), { action: "edit", index: 0, content: "a\nb" })).toBe(
      file('["a\\n", "b"]', other),
    );
  });

  test("that is emptied is an empty list", () => {
    expect(apply(file('["one"]'), { action: "edit", index: 0, content: "" })).toBe(file("[]"));
  });

  test("keeps the spelling of the lines that stay", () => {
    const source = '["caf\\u00e9 \\/\\u0041\\n", "old\\n", "\\ud83d\\ude00"]';
    const edited = apply(file(source), { action: "replace", index: 0, old: "old", content: "new" });
    expect(edited).toBe(file(source.replace("old", "new")));
  });

  test("is escaped where the whole file escapes, in its own letters, and nowhere else", () => {
    const edit = (note: string) =>
      apply(file('["x"]', `, {"note": "${note}"}`), { action: "edit", index: 0, content: "é😀" });
    expect(edit("\\u00fc")).toContain('["\\u00e9\\ud83d\\ude00"]');
    expect(edit("\\u00FC")).toContain('["\\u00E9\\uD83D\\uDE00"]');
    for (const note of ["ü", "\\u0007", "\\\\u00fc", "\\ud800"]) expect(edit(note)).toContain('["é😀"]');
  });

  test("with a lone surrogate is escaped as JSON.stringify does it", () => {
    expect(apply(file('["x"]'), { action: "edit", index: 0, content: "a\ud800b" })).toBe(file('["a\\ud800b"]'));
  });

  test("that a cell has twice or not at all is the last one", () => {
    const twice = '{"cells":[\n{"source":["1"],"a":1,"source":["2"]}\n],"nbformat":4}';
    expect(apply(twice, { action: "replace", index: 0, old: "2", content: "3" })).toBe(twice.replace('"2"', '"3"'));
    const none = '{"cells":[\n{"cell_type":"raw"}, {}\n],"nbformat":4}';
    expect(apply(none, { action: "edit", index: 0, content: "3" })).toBe(none.replace('"raw"', '"raw","source":["3"]'));
    expect(JSON.parse(apply(none, { action: "edit", index: 1, content: "3" })).cells[1]).toEqual({ source: ["3"] });
  });
});

describe("a document", () => {
  test("whose keys are escaped or doubled is read as every JSON reader does", () => {
    const text = '{"cells":[{"source":"no"}],\n"c\\u0065lls":[\n{"s\\u006furce":["yes"]}\n],"nbformat":3,"nbformat":4}';
    expect(apply(text, { action: "edit", index: 0, content: "done" })).toBe(text.replace('"yes"', '"done"'));
  });

  test("on one line is laid out by its first change, each token as it was", () => {
    const text =
      '\ufeff{"cells":[{"cell_type":"raw","metadata":{"n":[1.0,1E5,-0,NaN,[ ]],"n":{ }},"source":"a\\u0062"} ] , "nbformat":4}  \n';
    const after = apply(text, { action: "insert", index: 0, content: "", cellType: "raw" });
    expect(after).toMatchInlineSnapshot(`
      "\uFEFF{
       "cells": [
        {
         "cell_type": "raw",
         "metadata": {},
         "source": []
        },
        {
         "cell_type": "raw",
         "metadata": {
          "n": [
           1.0,
           1E5,
           -0,
           NaN,
           []
          ],
          "n": {}
         },
         "source": "a\\u0062"
        }
       ],
       "nbformat": 4
      }  
      "
    `);
    const squeezed = after.replace(/\s/g, "").replace('{"cell_type":"raw","metadata":{},"source":[]},', "");
    expect(squeezed).toBe(text.replace(/\s/g, ""));
  });
});
