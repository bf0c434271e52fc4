// Commands on a person's terminal: what they show there, and what they do not let through.
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { canonical, codeCell, markdownCell, notebookOf } from "../notebook/notebooks.ts";
import { BINARY, callTool, temporaryFolder } from "../nuthatch.ts";
import { TerminalProgram } from "../pseudo-terminal.ts";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

/** What a command leaves on a terminal of 60 columns. */
async function run(home: string, words: string[]) {
  const env = { NUTHATCH_HOME: home, NO_COLOR: undefined, TMUX: undefined };
  await using program = new TerminalProgram([BINARY, ...words], { columns: 60, rows: 40, cwd: home, env });
  const exitCode = await program.exited();
  const rows = (await program.screen.read()).filter((row) => row !== "");
  return { exitCode, rows, titles: program.screen.titles };
}

test("the cells of a notebook are listed", async () => {
  using home = temporaryFolder();
  writeFileSync(
    join(home.path, "n.ipynb"),
    canonical(notebookOf([markdownCell("a", ["# Title"]), codeCell("b", ["x = 1"], [], 3)])),
  );
  const { exitCode, rows } = await run(home.path, ["notebook", "read", "n.ipynb"]);
  expect(exitCode).toBe(0);
  expect(rows.join("\n")).toMatchInlineSnapshot(`
    "✓ read n.ipynb 2 cells
    ╭─ 0 markdown
    │ # Title
    ╰─
    ╭─ 1 code [3]
    │ x = 1
    ╰─"
  `);
});

test("an artifact is drawn if it is a picture, a text does nothing to the terminal, other bytes are refused", async () => {
  using home = temporaryFolder();
  const show = (mime: string, data: string) => `display({${JSON.stringify(mime)}: ${JSON.stringify(data)}}, raw=True)`;
  const bundles = [show("image/svg+xml", "<svg>\x1b]0;title\x07\n</svg>\n"), show("image/png", PIXEL)];
  const code = ["from IPython.display import display", ...bundles, show("image/svg+xml", "\0")].join("\n");
  const words = ["--in-process", "--kernel", "bundled"];
  await callTool("python", { cells: [code] }, { home: home.path }, words);
  const text = await run(home.path, ["artifact", "1"]);
  expect(text).toEqual({ exitCode: 0, rows: ["<svg>", "</svg>"], titles: [] });
  const refused = await run(home.path, ["artifact", "2"]);
  expect(refused.exitCode).toBe(1);
  expect(refused.rows[0]).toStartWith("nuthatch: error: artifact 2 is image/svg+xml");
  const picture = await run(home.path, ["artifact", "3"]);
  expect(picture.rows.at(-1)).toEndWith("3.png");
  expect(picture.rows.join("")).toContain("▀");
});

test("why a notebook cannot run is told whole, where the lines are longer than the terminal is wide", async () => {
  using home = temporaryFolder();
  writeFileSync(join(home.path, "n.ipynb"), canonical(notebookOf([codeCell("a", ["1"])])));
  const { exitCode, rows } = await run(home.path, ["run", "n.ipynb", "--kernel", "nosuchkernelspec"]);
  expect(exitCode).toBe(1);
  expect(rows.join(" ")).toContain(
    "the setting kernel takes auto, bundled or one of these names ✗ n.ipynb: could not run",
  );
});

test.each([
  [["call", "sessions"], "the parameters", '{"action":"list"}'],
  [["python", "--in-process"], "the code", "40 + 2"],
])("%p says at a terminal what it waits for", async (words, what, typed) => {
  using home = temporaryFolder();
  const env = { NUTHATCH_HOME: home.path, NUTHATCH_KERNEL: "bundled" };
  await using program = new TerminalProgram([BINARY, ...words], { columns: 100, rows: 20, cwd: home.path, env });
  await program.waitFor((rows) =>
    rows.some((row) => row.includes(`reading ${what} from standard input; Ctrl-D ends it`)),
  );
  program.type(`${typed}\r\x04`);
  expect(await program.exited()).toBe(0);
});
