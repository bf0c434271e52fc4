import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { canonical, codeCell, markdownCell, notebookOf } from "../notebook/notebooks.ts";
import { callTool, temporaryFolder } from "../nuthatch.ts";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const STREAM = { name: "stdout", output_type: "stream", text: ["\u001b[31mred\u001b[0m\n", "10%\r100%\n"] };
const FIGURE = {
  data: { "image/png": PIXEL, "text/plain": ["<Figure>"] },
  metadata: {},
  output_type: "display_data",
};
const ERROR = {
  ename: "ValueError",
  evalue: "bad",
  output_type: "error",
  traceback: ["\u001b[31mTraceback\u001b[0m", "ValueError: bad"],
};

const NOTEBOOK = canonical(
  notebookOf([
    markdownCell("intro", ["# Title\n", "words"]),
    codeCell("load", ["import data\n", "data.load()"], [STREAM], 1),
    codeCell("plot", ["plot(data)"], [FIGURE, ERROR], 2),
    codeCell("long", ["x = 1\n".repeat(3000)], []),
  ]),
);

async function read(input: Record<string, unknown>, words: string[] = [], text = NOTEBOOK) {
  using home = temporaryFolder();
  writeFileSync(join(home.path, "n.ipynb"), text);
  const call = { action: "read", path: "n.ipynb", ...input };
  const { result, exitCode } = await callTool("notebook", call, { home: home.path }, words);
  expect(exitCode).toBe(0);
  return result;
}

function textOf(result: Awaited<ReturnType<typeof read>>): string {
  return result.content.map((block) => block.text ?? `<${block.mimeType}>`).join("");
}

test("one cell is one cell, and one line one line", async () => {
  const stream = { name: "stdout", output_type: "stream", text: ["hi\n"] };
  const result = await read({}, [], canonical(notebookOf([codeCell("a", ["1"], [stream])])));
  expect(textOf(result)).toStartWith("n.ipynb: 1 cell, ");
  expect(textOf(result)).toContain("-> stdout: 1 line, 3 B");
});

test("read lists cells with their sources, and outputs by type and size", async () => {
  const result = await read({ range: "0-2" });
  expect(textOf(result).replace(result.details.revision, "REVISION")).toMatchInlineSnapshot(`
    "n.ipynb: 4 cells, kernel python3, revision REVISION

    cell 0 markdown id intro
    # Title
    words

    cell 1 code [1] id load
    import data
    data.load()
    -> stdout: 2 lines, 22 B

    cell 2 code [2] id plot
    plot(data)
    -> display_data: image/png 70 B, text/plain 8 B
    -> error ValueError: bad

    "
  `);
  expect(result.details.cells[2]).toEqual({
    index: 2,
    id: "plot",
    type: "code",
    source: "plot(data)",
    executionCount: 2,
    outputs: [
      { outputType: "display_data", mimeTypes: { "image/png": 70, "text/plain": 8 } },
      { outputType: "error", name: "ValueError", value: "bad", bytes: 34, lines: 2 },
    ],
  });
});

test("full outputs are cleaned text and image blocks in their order; no base64 is in the details", async () => {
  const result = await read({ range: "1-2", outputs: "full" });
  expect(result.content.map((block) => block.type)).toEqual(["text", "image", "text"]);
  expect(result.content[0]?.text).toContain("data.load()\n[output]\nred\n100%\n");
  expect(result.content[1]).toEqual({ type: "image", data: PIXEL, mimeType: "image/png" });
  expect(result.content[2]?.text).toContain("Traceback\nValueError: bad\n");
  expect(JSON.stringify(result.details)).not.toContain(PIXEL);
});

test("no outputs, one cell by id or index, and cells by text or expression can be asked for", async () => {
  expect(textOf(await read({ range: "0-2", outputs: "none" }))).not.toContain("->");
  expect((await read({ cell_id: "plot" })).details).toMatchObject({ cellIndex: 2, cellId: "plot", cellType: "code" });
  const indexes = async (input: Record<string, unknown>) =>
    (await read(input)).details.cells.map((cell: { index: number }) => cell.index);
  expect(await indexes({ cell_index: "1" })).toEqual([1]);
  expect(await indexes({ search: "data" })).toEqual([1, 2]);
  expect(await indexes({ search: "/^(#|plot)/m" })).toEqual([0, 2]);
  expect(await indexes({ search: "/TITLE/i", range: "0-1" })).toEqual([0]);
  expect(await indexes({ range: "2-,0" })).toEqual([0, 2, 3]);
  expect(await indexes({ range: "1-900" })).toEqual([1, 2, 3]);
});

test("an expression that would take years is ended, and the error names the cell", async () => {
  using home = temporaryFolder();
  const cells = [codeCell("a", ["short"]), codeCell("b", ["a".repeat(5000)])];
  writeFileSync(join(home.path, "n.ipynb"), canonical(notebookOf(cells)));
  const call = { action: "read", path: "n.ipynb", search: "/a*a*a*a*a*b/" };
  const { result, exitCode } = await callTool("notebook", call, { home: home.path });
  expect(exitCode).toBe(1);
  expect(result.details).toMatchObject({ code: "invalid_input", parameter: "search" });
  expect(result.content[0]?.text).toStartWith("Error: search /a*a*a*a*a*b/ took more than 3 seconds, in cell 1");
}, 30_000);

test("what does not fit is left out and named; only a first source is cut, at a line", async () => {
  const small = await read({}, ["--max-output-bytes", "600"]);
  expect(small.details.cells.map((cell: { index: number }) => cell.index)).toEqual([0, 1, 2]);
  expect(small.details.omitted).toBe("3");
  expect(textOf(small)).toContain('[1 more not shown; read them with range "3"]');
  const cut = await read({ cell_index: 3 }, ["--max-output-bytes", "600"]);
  expect(cut.details.cells[0].source).toBe("x = 1\n".repeat(100));
  expect(cut.details.cells[0].truncated).toBe(true);
  expect(textOf(cut)).toContain("[17400 more bytes of this source are not shown]");
  const whole = await read({ cell_index: 3 }, ["--max-output-bytes", "0"]);
  expect(whole.details.cells[0].source.length).toBe(18_000);
});

test("a long output is shown by its beginning and its end", async () => {
  const lines = Array.from({ length: 5000 }, (_, line) => `line ${line}\n`);
  const output = { name: "stdout", output_type: "stream", text: lines };
  const text = canonical(notebookOf([codeCell("a", ["run()"], [output])]));
  const shown = textOf(await read({ outputs: "full" }, ["--max-output-bytes", "2000"], text));
  expect(shown).toContain("line 0\n");
  expect(shown).toContain("line 4999\n");
  expect(shown).toMatch(/\[\d+ of 48890 bytes left out\]/);
  expect(Buffer.byteLength(shown)).toBeLessThan(2300);
});

test("an image beyond the limits is made smaller, one that cannot be read is named, and its text is shown", async () => {
  const large = await new Bun.Image(Buffer.from(PIXEL, "base64")).resize(300, 200, { fit: "fill" }).png().bytes();
  const figure = (data: string) => ({ ...FIGURE, data: { "image/png": data, "text/plain": ["<Figure>"] } });
  const outputs = [figure(Buffer.from(large).toString("base64")), figure("iVBORw0KGgo=")];
  const text = canonical(notebookOf([codeCell("a", ["plot()"], outputs)]));
  const result = await read({ outputs: "full" }, ["--max-image-pixels", "90"], text);
  expect(result.content.map((block) => block.type)).toEqual(["text", "image", "text"]);
  expect(result.content[0]?.text).toMatch(/\[image\/png 300x200, [\d.]+ \w+, shown at 90x60\]/);
  expect(result.content[2]?.text).toContain("[image/png, 8 B: not a picture that can be read]\n<Figure>\n");
});
