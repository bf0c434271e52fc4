import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { canonical, codeCell, notebookOf } from "../notebook/notebooks.ts";
import { runNuthatch, temporaryFolder } from "../nuthatch.ts";

const BEFORE = canonical(notebookOf([codeCell("a", ["1"]), codeCell("b", ["2"])]));

async function run(words: string[], stdin?: string) {
  using home = temporaryFolder();
  const path = join(home.path, "n.ipynb");
  writeFileSync(path, BEFORE);
  writeFileSync(join(home.path, "source.py"), "from a file\r\n");
  const options = { home: home.path, ...(stdin === undefined ? {} : { stdin }) };
  const finished = await runNuthatch(["notebook", ...words], options);
  const text = readFileSync(path, "utf8");
  const { cells } = JSON.parse(text) as { cells: { source: string[] }[] };
  return { ...finished, text, sources: cells.map((cell) => cell.source.join("")) };
}

describe("nuthatch notebook", () => {
  test.each(["007", "1.0", "-1", "--content", "a\\nb", "", " spaced "])(
    "writes --content %j as it is typed",
    async (content) => {
      const found = await run(["edit", "n.ipynb", "1", "--content", content]);
      expect([found.stderr, found.exitCode]).toEqual(["", 0]);
      expect(found.sources).toEqual(["1", content]);
      expect(found.stdout).toBe("Edited code cell 1 (id b). n.ipynb has 2 cells.\n");
    },
  );

  test("takes the source from a file or from standard input, byte for byte", async () => {
    expect((await run(["edit", "n.ipynb", "0", "--file", "source.py"])).sources[0]).toBe("from a file\r\n");
    expect((await run(["insert", "n.ipynb", "1"], "from\nstdin é\n")).sources).toEqual(["1", "from\nstdin é\n", "2"]);
    const nothing = await run(["edit", "n.ipynb", "0"]);
    expect([nothing.exitCode, nothing.text, nothing.stderr.includes("content is required")]).toEqual([1, BEFORE, true]);
    const both = await run(["edit", "n.ipynb", "0", "--file", "source.py", "--content", "x"]);
    expect([both.exitCode, both.text]).toEqual([1, BEFORE]);
    const missing = await run(["edit", "n.ipynb", "0", "--file", "none.py"]);
    expect([missing.exitCode, missing.stderr.includes("cannot read")]).toEqual([1, true]);
  });

  test("has every parameter of the tool as an option", async () => {
    expect(
      (await run(["insert", "n.ipynb", "--cell-id", "a", "--cell-type", "markdown", "--content", "x"])).sources,
    ).toEqual(["1", "x", "2"]);
    expect((await run(["replace", "n.ipynb", "1", "--old", "2", "--content", "3"])).sources).toEqual(["1", "3"]);
    expect((await run(["move", "n.ipynb", "0", "--to-index", "1"])).sources).toEqual(["2", "1"]);
    expect((await run(["delete", "n.ipynb", "-1"])).stderr).toContain("cell_index -1 is out of range");
    expect((await run(["edit", "n.ipynb", "0", "--content", "x", "--if-revision", "0"])).exitCode).toBe(1);
    expect((await run(["read", "n.ipynb", "--search", "2", "--outputs", "none"])).stdout).toContain(
      "cell 1 code id b\n2\n",
    );
    expect((await run(["create", "new.ipynb", "--kernel", "ir"])).stdout).toBe("Created new.ipynb with no cells.\n");
  });

  test("--dry-run writes nothing and prints a diff of the file", async () => {
    const found = await run(["edit", "n.ipynb", "1", "--content", "3", "--dry-run"]);
    expect(found.text).toBe(BEFORE);
    expect(found.stdout).toMatchInlineSnapshot(`
      "--- n.ipynb
      +++ n.ipynb
      @@ -17,7 +17,7 @@
          "metadata": {},
          "outputs": [],
          "source": [
      -    "2"
      +    "3"
          ]
         }
        ],
      "
    `);
    expect((await run(["edit", "n.ipynb", "1", "--content", "2", "--dry-run"])).stdout).toBe("");
  });

  test.skipIf(Bun.which("patch") === null)("a dry run's diff is one that patch applies (needs patch)", async () => {
    using home = temporaryFolder();
    const path = join(home.path, "n.ipynb");
    for (const words of [
      ["delete", path, "0"],
      ["insert", path, "2", "--content", "x\ny\n"],
      ["move", path, "0", "--to-index", "1"],
    ]) {
      writeFileSync(path, BEFORE);
      const { stdout } = await runNuthatch(["notebook", ...words, "--dry-run"], { home: home.path });
      const patched = Bun.spawnSync(["patch", "-s", "-o", "-", path], { stdin: Buffer.from(stdout) }).stdout.toString();
      await runNuthatch(["notebook", ...words], { home: home.path });
      expect(patched).toBe(readFileSync(path, "utf8"));
    }
  });

  test("--json prints the result as one line, errors too", async () => {
    const found = await run(["delete", "n.ipynb", "0", "--json"]);
    expect(JSON.parse(found.stdout).details).toMatchObject({
      action: "delete",
      cellId: "a",
      cellSource: ["1"],
      totalCells: 1,
    });
    const failed = await run(["delete", "n.ipynb", "7", "--json"]);
    expect([failed.exitCode, failed.stderr]).toEqual([1, ""]);
    expect(JSON.parse(failed.stdout)).toMatchObject({ isError: true, details: { code: "cell_index_out_of_range" } });
  });

  test("an error goes to standard error with its hint, and nothing to standard output", async () => {
    const found = await run(["edit", "none.ipynb", "0", "--content", "x"]);
    expect([found.exitCode, found.stdout]).toEqual([1, ""]);
    expect(found.stderr).toStartWith("nuthatch: error: Notebook not found: none.ipynb\nnuthatch: hint: ");
  });
});
