// What users of notebook tools reported in public; the titles begin with the number of the report in the collection.
import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { callTool, temporaryFolder } from "../nuthatch.ts";
import { applyAction } from "./apply.ts";
import { canonical, codeCell, corpusFiles, HAS_CORPUS, markdownCell, notebookOf } from "./notebooks.ts";

function corpus(name: string): Buffer {
  return readFileSync(corpusFiles().find(({ file }) => file === name)?.path as string);
}

/** Lines that differ between two texts, as `git diff --stat` counts them. */
function changedLines(before: string, after: string): number {
  const [old, now] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < Math.min(old.length, now.length) && old[start] === now[start]) start++;
  let end = 0;
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  return old.length - start - end + (now.length - start - end);
}

describe("reports of users:", () => {
  test("B01: a cell inserted without an anchor comes last, one with an anchor right after it", async () => {
    using home = temporaryFolder();
    const path = join(home.path, "n.ipynb");
    writeFileSync(path, canonical(notebookOf(["a", "b", "c"].map((id) => codeCell(id, [id])))));
    const insert = (input: object) => callTool("notebook", { action: "insert", path, ...input }, { home: home.path });
    expect((await insert({ content: "new" })).text).toContain("at index 3");
    expect((await insert({ content: "new2", cell_id: "b" })).text).toContain("at index 2");
    const { cells } = JSON.parse(readFileSync(path, "utf8")) as { cells: { source: string[] }[] };
    expect(cells.map((cell) => cell.source.join(""))).toEqual(["a", "b", "new2", "c", "new"]);
  });

  test("B03: one word replaced in a list of lines is one changed line", () => {
    const before = canonical(notebookOf([markdownCell("a", ["# Title\n", "one  \n", "two"]), codeCell("b", ["1"])]));
    const after = applyAction(Buffer.from(before), { action: "replace", index: 0, old: "one", content: "uno" });
    expect(changedLines(before, after.bytes.toString())).toBe(2);
    expect(after.bytes.toString()).toBe(before.replace('"one  \\n"', '"uno  \\n"'));
    expect(after.outcome.diff).toBe("@@ -1,3 +1,3 @@\n # Title\n-one  \n+uno  \n two\n\\ No newline at end of file\n");
  });

  test.each([5, 2])("B05: new cells have what nbformat 4.%d requires, and no more", (minor) => {
    const before = Buffer.from(canonical(notebookOf([], minor)));
    const code = applyAction(before, { action: "insert", content: "1" }).bytes;
    const { bytes, outcome } = applyAction(code, { action: "insert", content: "text", cellType: "markdown" });
    const { cells } = JSON.parse(bytes.toString()) as { cells: Record<string, unknown>[] };
    const id = minor < 5 ? undefined : expect.stringMatching(/^[0-9a-f]{8}$/);
    expect(cells).toEqual([codeCell(id, ["1"]), markdownCell(id, ["text"])]);
    expect(outcome.cellId).toEqual(minor < 5 ? null : (cells[1]?.id as string));
  });

  test("B07: no cell gains an id by another's edit, and the same call on the same file gives the same bytes", () => {
    const bare = Buffer.from(canonical(notebookOf([codeCell(undefined, ["1"]), codeCell(undefined, ["2"])])));
    const once = applyAction(bare, { action: "edit", index: 0, content: "3" }).bytes;
    expect(once.toString()).toBe(canonical(notebookOf([codeCell(undefined, ["3"]), codeCell(undefined, ["2"])])));
    const insert = () => applyAction(bare, { action: "insert", index: 1, content: "new" }).bytes;
    expect(insert()).toEqual(insert());
  });

  test.skipIf(!HAS_CORPUS)("B08: one word replaced changes one line of any notebook (needs the corpus)", () => {
    const many: string[] = [];
    let count = 0;
    for (const { file, path } of corpusFiles()) {
      const before = readFileSync(path);
      const cells = cellsOf(before);
      const index = cells.findIndex((cell) => Array.isArray(cell.source) && onceIn(cell.source.join("")) !== undefined);
      if (index < 0) continue;
      count++;
      const old = onceIn((cells[index] as { source: string[] }).source.join("")) as string;
      const { bytes } = applyAction(before, { action: "replace", index, old, content: `${old}X` });
      const isOneLine = before.toString().trim().split("\n").length === 1;
      if (!isOneLine && changedLines(before.toString(), bytes.toString()) !== 2) many.push(file);
    }
    expect(count).toBeGreaterThan(40);
    // Their lists are not split at each newline and only there, as a source that is written is.
    expect(many).toEqual(["66-cells-796.ipynb", "77-source-cr.ipynb"]);
  });

  test("B10: only a newline ends a line", () => {
    const source = "a = 'x\fy\u2028z\x85\x1c'\r\nb\r";
    const before = canonical(notebookOf([codeCell("a", ["a = 'x\fy\u2028z\x85\x1c'\r\n", "b\r"])]));
    const { bytes, outcome } = applyAction(Buffer.from(before), {
      action: "replace",
      index: 0,
      old: "x",
      content: "w",
    });
    expect(outcome.cellSource).toEqual([source.replace("x", "w").slice(0, -2), "b\r"]);
    expect(bytes.toString()).toBe(before.replace("'x", "'w"));
  });

  test.skipIf(!HAS_CORPUS)("B11: large and odd numbers are kept (needs the corpus)", () => {
    const before = corpus("S02-numbers.ipynb");
    const { bytes } = applyAction(before, { action: "edit", id: "n2", content: "changed" });
    for (const number of ["9007199254740993", "1.0", "1.10", "1E5", "-0.0", "1e400"]) {
      expect(bytes.toString()).toContain(number);
    }
    const start = before.indexOf('"n2"');
    expect(bytes.subarray(0, start)).toEqual(before.subarray(0, start));
  });

  test.skipIf(!HAS_CORPUS)(
    "B13: a byte-order mark is kept; UTF-16 is refused by its name (needs the corpus)",
    async () => {
      using home = temporaryFolder();
      const path = join(home.path, "n.ipynb");
      writeFileSync(path, corpus("19-bom-mixed-eol.ipynb"));
      const edited = await callTool(
        "notebook",
        { action: "edit", path, index: 1, content: "new" },
        { home: home.path },
      );
      expect(edited.exitCode).toBe(0);
      expect(readFileSync(path).subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
      const utf16 = Buffer.from(`\ufeff${corpus("06-v4-basic.ipynb")}`, "utf16le");
      writeFileSync(path, utf16);
      for (const action of ["read", "edit"]) {
        const refused = await callTool("notebook", { action, path, index: 0, content: "x" }, { home: home.path });
        expect([refused.result.details.code, refused.text.includes("UTF-16")]).toEqual(["invalid_notebook", true]);
      }
      expect(readFileSync(path)).toEqual(utf16);
    },
  );

  test("B16: a stale write is refused with what is there now; 20 inserts at once are all there", async () => {
    using home = temporaryFolder();
    const path = join(home.path, "n.ipynb");
    writeFileSync(path, canonical(notebookOf([codeCell("a", ["1"])])));
    const call = (input: object) => callTool("notebook", { path, ...input }, { home: home.path });
    const { revision } = (await call({ action: "read" })).result.details;
    await Promise.all(Array.from({ length: 20 }, (_, n) => call({ action: "insert", content: `cell ${n}` })));
    expect(cellsOf(readFileSync(path)).length).toBe(21);
    const stale = await call({ action: "edit", index: 0, content: "2", if_revision: revision });
    expect(stale.result.details).toMatchObject({ code: "revision_mismatch", expected: revision, totalCells: 21 });
  });

  test.skipIf(!HAS_CORPUS)(
    "B18: reading 4 MB of images and plots stays within the bound (needs the corpus)",
    async () => {
      using home = temporaryFolder();
      const path = join(home.path, "n.ipynb");
      writeFileSync(path, corpus("68-base64-4mb.ipynb"));
      const whole = await callTool("notebook", { action: "read", path }, { home: home.path });
      expect(Buffer.byteLength(whole.stdout)).toBeLessThan(200_000);
      expect(whole.text).toMatch(/image\/png [\d.]+ KiB/);
      expect(whole.text).not.toContain("iVBOR");
      const image = "iVBORw0KGgo".repeat(1_200_000);
      const output = {
        data: { "image/png": image, "text/plain": ["<Figure>"] },
        metadata: {},
        output_type: "display_data",
      };
      writeFileSync(path, canonical(notebookOf([codeCell("a", ["1"]), codeCell("b", ["plot"], [output])])));
      const large = await callTool(
        "notebook",
        { action: "read", path, index: 1, outputs: "full" },
        { home: home.path },
      );
      expect(large.text).toContain("[image/png, 9.4 MiB: not a picture that can be read]");
      expect(large.stdout.length).toBeLessThan(10_000);
    },
  );
});

function cellsOf(bytes: Buffer): { source: unknown }[] {
  try {
    return (JSON.parse(bytes.toString().replace(/^\ufeff/, "")) as { cells?: { source: unknown }[] }).cells ?? [];
  } catch {
    return [];
  }
}

/** A word that occurs once in a source. */
function onceIn(source: string): string | undefined {
  return (source.match(/[A-Za-z]{3,}/g) ?? []).find((word) => source.split(word).length === 2);
}
