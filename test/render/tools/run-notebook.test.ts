import { describe, expect, test } from "bun:test";
import { RunNotebookView } from "../../../src/render/tools/run-notebook.ts";
import { plainContext } from "../contexts.ts";

const error = { name: "ValueError", value: "no\x1b[2J", traceback: [] };
const draw = (view: RunNotebookView, expanded = false) => `\n${view.render(plainContext(50, expanded)).join("\n")}\n`;

/** Cells of a run of which `done` have finished and the next one runs. */
function cells(count: number, done: number, running = true) {
  return Array.from({ length: count }, (_, index) => ({
    index: index * 2,
    id: null,
    status: index < done ? "complete" : index === done && running ? "running" : "pending",
    executionCount: index < done ? index + 1 : null,
    durationMs: index < done ? 1000 + index : 0,
    outputs: index === 1 ? [{ type: "display_data", mimeTypes: ["image/png", "text/plain"] }] : [],
    error: null as typeof error | null,
  }));
}

describe("the run of a notebook", () => {
  test("shows a row a cell, the last line that the running one printed, and how many are to come", () => {
    let now = 0;
    const view = new RunNotebookView("a.ipynb", () => now);
    view.update({ content: [], details: { kernel: "python3", notebookPath: "/home/a.ipynb", cells: cells(5, 0) } });
    now = 3000;
    view.update({ content: [{ type: "text", text: "one\n[3/5]\nepoch 1\nepoch 2" }], details: { cells: cells(5, 2) } });
    now = 4500;
    expect(view.running).toBe(true);
    expect(draw(view)).toMatchInlineSnapshot(`
      "
      /home/a.ipynb 2 of 5 cells · python3 · 4.5 s
      ✓ cell 0 [1] 1.0 s
      ✓ cell 2 [2] 1.0 s · 1 picture
      ⠇ cell 4 [*] 1.5 s
        epoch 2
      ○ 2 to come
      "
    `);
  });

  test("keeps the running cell on the screen of a long run", () => {
    const view = new RunNotebookView("a.ipynb", () => 0);
    view.update({ content: [], details: { cells: cells(800, 300) } });
    expect(view.render(plainContext(50))).toHaveLength(1 + 1 + 8 + 1 + 1);
  });

  test("shows at its end all cells that ran, and the error of the one that failed", () => {
    const view = new RunNotebookView("a.ipynb", () => 0);
    const ended = cells(4, 3, false);
    ended[2] = { ...ended[2], status: "error", error } as (typeof ended)[0];
    view.finish({ content: [], details: { cells: ended, executed: 3 }, isError: true });
    expect(view.running).toBe(false);
    expect(draw(view, true)).toMatchInlineSnapshot(`
      "
      a.ipynb 3 of 4 cells · 0 ms
      ✓ cell 0 [1] 1.0 s
      ✓ cell 2 [2] 1.0 s · 1 picture
      ✗ cell 4 [3] 1.0 s
      │ ValueError: no
      ○ 1 not run
      "
    `);
  });
});
