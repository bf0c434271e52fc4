import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BINARY, runNuthatch, temporaryFolder } from "../nuthatch.ts";
import { TerminalProgram } from "../pseudo-terminal.ts";
import { twoColors } from "../render/picture/sample-pictures.ts";

const PNG = Buffer.from(twoColors(40, 40)).toString("base64");

/** A notebook with one cell of each kind that is shown in its own way. */
function sampleNotebook(more: object[] = []): string {
  const code = (source: string, outputs: object[]) => ({
    cell_type: "code",
    metadata: {},
    execution_count: 1,
    source,
    outputs,
  });
  const display = (data: object) => ({ output_type: "display_data", metadata: {}, data });
  return JSON.stringify({
    cells: [
      { cell_type: "markdown", metadata: {}, source: "# Title\n\nText with $x^2$." },
      code("print('漢字')", [
        { output_type: "stream", name: "stdout", text: ["10%\r100%\n", "\x1b[31mred\x1b[0m \x1b]0;title\x07\n"] },
      ]),
      code("plot()", [
        display({ "image/png": PNG, "text/plain": "<Figure size 40x40>" }),
        display({ "application/json": { a: [1, null] } }),
      ]),
      code("1/0", [{ output_type: "error", ename: "ZeroDivisionError", evalue: "division by zero", traceback: [] }]),
      { cell_type: "raw", metadata: {}, source: "raw" },
      ...more,
    ],
    metadata: { kernelspec: { display_name: "Python 3", language: "python", name: "python3" } },
    nbformat: 4,
    nbformat_minor: 4,
  });
}

/** A home with the sample notebook in it. */
function homeWithNotebook(more: object[] = []) {
  const home = temporaryFolder();
  writeFileSync(join(home.path, "sample.ipynb"), sampleNotebook(more));
  return home;
}

const manyCells = Array.from({ length: 60 }, (_, index) => ({
  cell_type: "markdown",
  metadata: {},
  source: `Paragraph ${index}`,
}));

/** Runs a command from a small process, whose memory the child's maximum counts until it calls exec; prints it in kB. */
const MEASURED = `
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:])
sys.stderr.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(code)
`;

describe("nuthatch show", () => {
  test("prints a notebook without colours where nobody watches, and names the file of a picture", async () => {
    using home = homeWithNotebook();
    const { exitCode, stdout, stderr } = await runNuthatch(["show", "sample.ipynb"], {
      home: home.path,
      env: { COLUMNS: "60" },
    });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    const picture = /(\/\S+\.png)/.exec(stdout.replace(/\n│ /g, ""))?.[1] as string;
    expect(readFileSync(picture)).toEqual(Buffer.from(PNG, "base64"));
    expect(`\n${stdout.replace(/(B)[^╰├]*\.png/, "$1 <file>")}`).toMatchInlineSnapshot(`
      "
      sample.ipynb 5 cells · Python 3

      Title
      ━━━━━

      Text with x².

      ╭─ [1] cell 1
      │ print('漢字')
      ├─
      │ 100%
      │ red 
      ╰─

      ╭─ [1] cell 2
      │ plot()
      ├─
      │ image/png 40×40 139 B <file>
      ├─
      │ {1 key}
      │ └─ a: [2 items]
      │    ├─ 0: 1
      │    └─ 1: null
      ╰─

      ╭─ [1] cell 3
      │ 1/0
      ├─ error
      │ ZeroDivisionError: division by zero
      ╰─

      ╭─ raw cell 4
      │ raw
      ╰─
      "
    `);
    await runNuthatch(["show", "sample.ipynb"], { home: home.path });
    expect(existsSync(picture.replace(/1\.png$/, "2.png"))).toBe(false);
  });

  test("prints the cells as JSON, with the text of outputs and no base64", async () => {
    using home = homeWithNotebook();
    const { stdout } = await runNuthatch(["show", "sample.ipynb", "--json"], { home: home.path });
    const shown = JSON.parse(stdout);
    expect(shown).toMatchObject({ notebookPath: "sample.ipynb", kernel: "Python 3", language: "python" });
    expect(shown.cells[1]).toEqual({
      index: 1,
      type: "code",
      source: "print('漢字')",
      executionCount: 1,
      outputs: [{ type: "stream", name: "stdout", text: "100%\nred \n" }],
    });
    expect(stdout).not.toContain(PNG);
  });

  test("shows a notebook of nbformat 3, which cannot be edited", async () => {
    using home = temporaryFolder();
    const cells = [
      { cell_type: "heading", level: 2, source: ["Old"] },
      {
        cell_type: "code",
        input: ["1 + 1"],
        prompt_number: 4,
        outputs: [{ output_type: "pyout", prompt_number: 4, text: ["2"] }],
      },
    ];
    writeFileSync(
      join(home.path, "old.ipynb"),
      JSON.stringify({ nbformat: 3, nbformat_minor: 0, metadata: {}, worksheets: [{ cells }] }),
    );
    const { stdout } = await runNuthatch(["show", "old.ipynb"], { home: home.path });
    expect(stdout).toBe("old.ipynb 2 cells\n\nOld\n───\n\n╭─ [4] cell 1\n│ 1 + 1\n├─ [4]\n│ 2\n╰─\n");
  });

  test("says what is wrong with a file that it cannot show", async () => {
    using home = temporaryFolder();
    const { exitCode, stdout, stderr } = await runNuthatch(["show", "none.ipynb"], { home: home.path });
    expect([exitCode, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("none.ipynb");
  });

  test("bounds a line of five million characters: head, tail, what is left out, and its memory", async () => {
    const text = `START${"x".repeat(5_000_000)}END`;
    const source = { cell_type: "code", metadata: {}, execution_count: 1, source: `'${text}'`, outputs: [] };
    using home = homeWithNotebook([
      { ...source, source: "y", outputs: [{ output_type: "stream", name: "stdout", text }] },
      source,
    ]);
    for (const words of [[], ["--expanded"]]) {
      const run = Bun.spawn(["python3", "-c", MEASURED, BINARY, "show", "sample.ipynb", ...words], {
        cwd: home.path,
        env: { ...process.env, NUTHATCH_HOME: home.path },
        stdout: "pipe",
        stderr: "pipe",
      });
      const shown = await new Response(run.stdout).text();
      const kilobytes = Number(await new Response(run.stderr).text());
      expect(await run.exited).toBe(0);
      expect(shown).toMatch(/START[\s\S]*… 4,\d{3},\d{3} more characters|… 3,\d{3},\d{3} more characters/);
      expect(shown).toContain("END\n");
      expect(shown.length).toBeLessThan(words.length === 0 ? 50_000 : 6_000_000);
      expect(kilobytes).toBeGreaterThan(10_000);
      expect(kilobytes).toBeLessThan(300_000);
    }
  });

  test("ends quietly when its reader has gone", async () => {
    using home = homeWithNotebook(Array(2000).fill(manyCells[0]));
    const shell = `"${BINARY}" show sample.ipynb | head -n 1; echo "status \${PIPESTATUS[0]}"`;
    const run = Bun.spawn(["bash", "-c", shell], {
      cwd: home.path,
      env: { ...process.env, NUTHATCH_HOME: home.path },
      stdout: "pipe",
      stderr: "pipe",
    });
    expect(await new Response(run.stdout).text()).toBe("sample.ipynb 2005 cells · Python 3\nstatus 0\n");
    expect(await new Response(run.stderr).text()).toBe("");
  });
});

describe("nuthatch show in a terminal", () => {
  const plain = { COLORTERM: "truecolor", NO_COLOR: undefined, TMUX: undefined, PAGER: undefined, LESS: undefined };
  const open = (words: string[], home: string, env: Record<string, string> = {}) =>
    new TerminalProgram([BINARY, "show", "sample.ipynb", ...words], {
      columns: 60,
      rows: 20,
      cwd: home,
      env: { NUTHATCH_HOME: home, ...plain, ...env },
    });

  test("draws a picture as half blocks, sets no title, and gives the terminal back as it was", async () => {
    using home = homeWithNotebook();
    await using program = open(["--no-pager"], home.path);
    expect(await program.exited()).toBe(0);
    const rows = await program.screen.read();
    expect(rows.slice(0, 4)).toEqual(["sample.ipynb 5 cells · Python 3", "", "Title", "━━━━━"]);
    expect(rows.filter((row) => row === "│ ▀▀▀▀")).toHaveLength(2);
    expect(program.screen.titles).toEqual([]);
    expect(program.screen.terminal.buffer.active.type).toBe("normal");
  });

  test("sends a picture by the protocol that the terminal answers to", async () => {
    using home = homeWithNotebook();
    await using program = open(["--no-pager"], home.path);
    program.answer = (text) => (text.includes("_Gi=31") ? "\x1b_Gi=31;OK\x1b\\" : "");
    await program.exited();
    expect(program.raw).toContain(`\x1b_Ga=T,f=100,q=2,C=1,c=4,r=2,m=0;${PNG}\x1b\\`);
    expect((await program.screen.read()).join("\n")).not.toContain("▀");
  });

  test.skipIf(Bun.which("less") === null)("pages what is long, and only then", async () => {
    using home = homeWithNotebook(manyCells);
    await using program = open([], home.path);
    await program.waitFor((rows) => rows.at(-1) === ":");
    program.type("G");
    await program.waitFor((rows) => rows.includes("Paragraph 59"));
    program.type("q");
    expect(await program.exited()).toBe(0);
    await using short = open([], home.path, { PAGER: "cat" });
    expect(await short.exited()).toBe(0);
  });

  test.skipIf(Bun.which("less") === null)("a pager that is not there is told, and less takes its place", async () => {
    using home = homeWithNotebook(manyCells);
    await using program = open([], home.path, { PAGER: "no-such-pager -R" });
    await program.waitFor((rows) => rows.at(-1) === ":");
    expect(program.raw).toContain("warning: the pager no-such-pager that PAGER names is not there");
    program.type("q");
    expect(await program.exited()).toBe(0);
  });

  test("prints no colour for --no-color and NO_COLOR", async () => {
    using home = homeWithNotebook();
    for (const [words, env] of [
      [["--no-color"], {}],
      [[], { NO_COLOR: "1" }],
    ] as const) {
      await using program = open(["--no-pager", ...words], home.path, env);
      await program.exited();
      expect(program.raw.replace(/\x1b\]7777;0\x07$/, "")).not.toContain("\x1b");
    }
  });
});
