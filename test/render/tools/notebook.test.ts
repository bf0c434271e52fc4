import { describe, expect, test } from "bun:test";
import { PREVIEW_LIMITS } from "../../../src/render/limits.ts";
import { notebookToolRenderer } from "../../../src/render/tools/notebook.ts";
import { colorContext, plainContext } from "../contexts.ts";

const call = { action: "edit", notebook_path: "a/b.ipynb", cell_index: 3 };
const details = { action: "edit", cellIndex: 3, cellId: "x", cellType: "code", totalCells: 12, revision: "r" };
const result = (more: object, text = "Edited") => ({
  content: [{ type: "text" as const, text }],
  details: { ...details, ...more },
  isError: false,
});
const draw = (more: object) =>
  `\n${notebookToolRenderer.renderResult(result(more), call).render(plainContext(60)).join("\n")}\n`;

describe("the notebook tool", () => {
  test("shows its call as one line with action, path, cell and type", () => {
    expect(notebookToolRenderer.renderCall({ ...call, cell_type: "markdown" }, plainContext(60))).toEqual([
      "○ edit a/b.ipynb cell 3 · markdown",
    ]);
    expect(notebookToolRenderer.renderCall({}, plainContext(60))).toEqual(["○ notebook"]);
  });

  test("shows its result as a summary and the cell's source", () => {
    expect(draw({ cellSource: ["x = 1\n", "y = 2"] })).toMatchInlineSnapshot(`
      "
      ✓ edit a/b.ipynb cell 3 · code · 12 cells
      ╭─
      │ x = 1
      │ y = 2
      ╰─
      "
    `);
  });

  test("collapses the source to twice the preview's lines", () => {
    const view = notebookToolRenderer.renderResult(result({ cellSource: Array(50).fill("x\n") }), call);
    expect(view.render(plainContext(60))).toHaveLength(1 + PREVIEW_LIMITS.COLLAPSED_LINES * 2 + 3);
    expect(view.render(plainContext(60, true))).toHaveLength(53);
  });

  test("colours Markdown as Markdown and forces no language on code", () => {
    const lines = (cellType: string) =>
      notebookToolRenderer
        .renderResult(result({ cellType, cellSource: ["# import x"] }), call)
        .render(colorContext(60));
    expect(lines("markdown")[2]).toContain("\x1b[1;38;5;81m# import x");
    expect(lines("code")[2]).toEndWith(" # import x");
  });

  test("names no cell where the result is about several", () => {
    const parameters = { action: "read", notebook_path: "a.ipynb" };
    const several = { action: "read", cellIndex: null, cellId: null, cellType: null, totalCells: 2, cells: [] };
    const view = notebookToolRenderer.renderResult(result(several), parameters);
    expect(view.render(plainContext(60))).toEqual(["✓ read a.ipynb 2 cells"]);
  });

  test("lists the cells that were read, and colours a diff", () => {
    expect(
      draw({
        cells: [
          { index: 0, id: "a", type: "markdown", source: "# T", executionCount: null, outputs: [] },
          { index: 1, id: "b", type: "code", source: ["x\n", "y"], executionCount: 4, outputs: [] },
        ],
      }),
    ).toMatchInlineSnapshot(`
      "
      ✓ edit a/b.ipynb cell 3 · code · 12 cells
      ╭─ 0 markdown
      │ # T
      ╰─
      ╭─ 1 code [4]
      │ x
      │ y
      ╰─
      "
    `);
    expect(draw({ diff: "-old\n+new", cellSource: ["new"] })).toMatchInlineSnapshot(`
      "
      ✓ edit a/b.ipynb cell 3 · code · 12 cells
      ╭─
      │ -old
      │ +new
      ╰─
      "
    `);
  });

  test("shows an error as a block with the path", () => {
    const failed = {
      content: [{ type: "text" as const, text: "Error: Cell index 9 is out of range: 0-3\x1b[2J" }],
      details: { code: "cell_index_out_of_range" },
      isError: true,
    };
    expect(notebookToolRenderer.renderResult(failed, call).render(plainContext(60))).toEqual([
      "✗ edit a/b.ipynb cell 3",
      "│ Error: Cell index 9 is out of range: 0-3",
    ]);
  });

  test("draws once for each width and mode", () => {
    const view = notebookToolRenderer.renderResult(result({ cellSource: ["x"] }), call);
    const context = plainContext(60);
    const first = view.render(context);
    expect(view.render({ ...context })).toBe(first);
    expect(view.render({ ...context, expanded: true })).not.toBe(first);
    expect(view.render({ ...context, width: 30 })).not.toBe(first);
  });
});
