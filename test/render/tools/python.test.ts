import { describe, expect, test } from "bun:test";
import { RendererRegistry } from "../../../src/render/renderer-registry.ts";
import { PythonView } from "../../../src/render/tools/python.ts";
import { plainContext } from "../contexts.ts";

const registry = new RendererRegistry();
const show = (view: PythonView, expanded = false) => `\n${view.render(plainContext(60, expanded)).join("\n")}\n`;
const cell = { index: 0, title: null, output: "", statusEvents: [], exitCode: null, restarted: false };

describe("the python tool", () => {
  test("shows a frame a cell, from pending over running to complete and error", () => {
    let now = 1000;
    const call = { cells: [{ code: "x = 1", title: "set up" }, { code: "1 / 0" }] };
    const view = new PythonView(call, { registry, now: () => now });
    expect(show(view)).toMatchInlineSnapshot(`
      "
      ╭─ ○ [1/2] set up
      │ x = 1
      ╰─
      ╭─ ○ [2/2]
      │ 1 / 0
      ╰─
      "
    `);
    const cells = [
      { ...cell, code: "x = 1", title: "set up", status: "complete", durationMs: 12.4 },
      { ...cell, code: "1 / 0", status: "running", durationMs: 0 },
    ];
    view.update({ content: [], details: { cells } });
    now += 2345;
    expect(view.running).toBe(true);
    expect(show(view)).toMatchInlineSnapshot(`
      "
      ╭─ ✓ [1/2] set up 12 ms
      │ x = 1
      ╰─
      ╭─ ⠏ [2/2] 2.3 s
      │ 1 / 0
      ╰─
      "
    `);
    now += 80;
    expect(show(view)).toContain("⠋ [2/2] 2.4 s");
    const failed = {
      ...cell,
      code: "1 / 0",
      status: "error",
      durationMs: 3,
      output: "ZeroDivisionError: division by zero\n",
    };
    view.update({ content: [], details: { cells: [cells[0], failed] } });
    expect(view.running).toBe(false);
    expect(show(view)).toMatchInlineSnapshot(`
      "
      ╭─ ✓ [1/2] set up 12 ms
      │ x = 1
      ╰─
      ╭─ ✗ [2/2] 3 ms
      │ 1 / 0
      ├─ output
      │ ZeroDivisionError: division by zero
      ╰─
      "
    `);
  });

  test("shows status events, JSON as a tree, pictures with their artifact, and the truncation", () => {
    const view = new PythonView({ cells: [{ code: "run()" }] }, { registry });
    view.update({
      content: [{ type: "text", text: "out" }],
      details: {
        cells: [
          {
            ...cell,
            code: "run()",
            status: "complete",
            durationMs: 5,
            output: "out\n",
            statusEvents: [{ op: "read", path: "a.txt", bytes: 3 }],
          },
        ],
        jsonOutputs: [{ a: [1, 2] }],
        images: [{ mimeType: "image/png", width: 640, height: 480, bytes: 12345, artifactId: "7" }],
        diagnostics: [{ source: "modules/bad.py", line: 2, message: "NameError: no" }, { message: "plugin x failed" }],
        meta: { truncated: true, totalLines: 5000, outputLines: 100, artifactId: "8" },
      },
    });
    expect(show(view)).toMatchInlineSnapshot(`
      "
      ╭─ ✓ 5 ms
      │ run()
      ├─ output
      │ out
      ├─ status
      │ read path=a.txt bytes=3
      ├─ json
      │ {1 key}
      │ └─ a: [2 items]
      │    ├─ 0: 1
      │    └─ 1: 2
      ├─ images
      │ image/png 640×480 12.1 KiB artifact://7
      ╰─
      Output truncated: 100 of 5,000 lines kept; all of it:
      artifact://8, nuthatch artifact 8
      modules/bad.py:2: NameError: no
      plugin x failed
      "
    `);
  });

  test("shows what the running cell has printed so far, from the stream of all cells", () => {
    const view = new PythonView({ cells: [{ code: "a" }, { code: "b" }] }, { registry, now: () => 0 });
    const states = (first: string, second: string) => [
      { ...cell, code: "a", status: first, output: first === "complete" ? "one\ntwo\n" : "" },
      { ...cell, code: "b", status: second },
    ];
    const tell = (text: string, cells: object[]) =>
      view.update({ content: [{ type: "text", text }], details: { cells } });
    tell("[1/2]\none\n", states("running", "pending"));
    expect(show(view)).toContain("│ a\n├─ output\n│ one\n╰─");
    tell("tw", states("running", "pending"));
    expect(show(view)).toContain("│ one\n│ tw\n╰─");
    tell("o\n[2/2]\nthree", states("complete", "running"));
    expect(show(view)).toContain("│ one\n│ two\n╰─");
    expect(show(view)).toContain("│ b\n├─ output\n│ three\n╰─");
  });

  test("says after the cells that a call timed out, was cancelled, or what else its text ends with", () => {
    const finish = (output: string, text: string) => {
      const view = new PythonView({ cells: [{ code: "x" }] }, { registry });
      const cells = [{ ...cell, code: "x", status: "error", output }];
      view.finish({ content: [{ type: "text", text }], details: { cells }, isError: true });
      return view.render(plainContext(60)).slice(-2);
    };
    expect(finish("1\nend: \n", "1\nend: \nCommand timed out after 1 seconds\n")).toEqual([
      "╰─",
      "Command timed out after 1 seconds",
    ]);
    expect(finish("", "Cancelled before the first cell ran\n")).toEqual(["╰─", "Cancelled before the first cell ran"]);
    expect(finish("1\n", "1\n")).toEqual(["│ 1", "╰─"]);
    expect(finish("", "(no output)")).toEqual(["│ x", "╰─"]);
  });

  test("draws the displays of a cell where they stand in its text, once", () => {
    const view = new PythonView({ cells: [{ code: "x" }] }, { registry });
    const value = { a: 1 };
    const output = `1\n${JSON.stringify(value, null, 2)}\nafter\n`;
    view.finish({
      content: [{ type: "text", text: output }],
      details: { jsonOutputs: [value, 1, 7], cells: [{ ...cell, code: "x", status: "complete", output }] },
      isError: false,
    });
    expect(show(view)).toMatchInlineSnapshot(`
      "
      ╭─ ✓
      │ x
      ├─ output
      │ 1
      │ {1 key}
      │ └─ a: 1
      │ after
      ├─ json
      │ 7
      ╰─
      "
    `);
  });

  test("draws what stands beside the text under its cell, pictures by the blocks that show them", () => {
    const drawn: string[] = [];
    const own = new RendererRegistry([{ type: "geojson", render: ({ data }) => [`features: ${data}`] }]);
    const view = new PythonView({ cells: [{ code: "a" }, { code: "b" }] }, { registry: own });
    const image = { mimeType: "image/png", width: 4, height: 3, bytes: 20, artifactId: null };
    view.finish({
      content: [
        { type: "text", text: "" },
        { type: "image", data: "c2Vjb25k", mimeType: "image/png" },
      ],
      details: {
        jsonOutputs: [{ a: 1 }, [2]],
        markdown: ["- x"],
        images: [image, { ...image, width: 8 }],
        outputs: [{ type: "geojson", data: 3, cell: 0 }],
        cellIndexes: { jsonOutputs: [1, 0], markdown: [1], images: [0, 1] },
        shownImages: [1],
        cells: [
          { ...cell, code: "a", status: "complete", output: "- x\n" },
          { ...cell, code: "b", index: 1, status: "complete", output: "- x\n" },
        ],
      },
      isError: false,
    });
    const picture = ({ data }: { data: string }) => {
      drawn.push(data);
      return ["PICTURE"];
    };
    const lines = view.render({ ...plainContext(60), picture });
    expect(`\n${lines.join("\n")}\n`).toMatchInlineSnapshot(`
      "
      ╭─ ✓ [1/2]
      │ a
      ├─ output
      │ - x
      ├─ json
      │ [1 item]
      │ └─ 0: 2
      ├─ geojson
      │ features: 3
      ├─ images
      │ image/png 4×3 20 B
      ╰─
      ╭─ ✓ [2/2]
      │ b
      ├─ output
      │ • x
      ├─ json
      │ {1 key}
      │ └─ a: 1
      ├─ images
      │ PICTURE
      │ image/png 8×3 20 B
      ╰─
      "
    `);
    expect(drawn).toEqual(["c2Vjb25k"]);
  });

  test("bounds what a cell shows of thousands of outputs", () => {
    const numbers = [...Array(5000).keys()];
    const image = { mimeType: "image/png", width: 4, height: 3, bytes: 20, artifactId: null };
    const text = numbers.slice(0, 2000).map((number) => JSON.stringify({ number }, null, 2));
    const statusEvents = numbers.map((number) => ({ op: "read", number }));
    const view = new PythonView({ cells: [{ code: "x" }] }, { registry });
    view.update({
      content: [],
      details: {
        jsonOutputs: numbers.map((number) => ({ number })),
        images: numbers.map(() => image),
        cells: [{ ...cell, code: "x", status: "complete", output: text.join("\n"), statusEvents }],
      },
    });
    const lines = show(view).split("\n");
    expect(lines.filter((line) => line.startsWith("│ …"))).toEqual([
      "│ … 1,990 more outputs",
      "│ … 4,990 more outputs",
      "│ … 2,995 more outputs",
      "│ … 4,995 more before",
    ]);
    expect(lines.length).toBeLessThan(70);
  });

  test("draws Markdown as Markdown", () => {
    const view = new PythonView({ cells: [{ code: "md()" }] }, { registry });
    view.update({
      content: [],
      details: {
        markdown: ["- a\n- b"],
        cells: [{ ...cell, code: "md()", status: "complete", durationMs: 5, output: "before\n- a\n- b\nafter\n" }],
      },
    });
    expect(show(view)).toContain("│ before\n│ • a\n│ • b\n│ after\n");
  });

  test("answers from its cache once nothing runs", () => {
    const view = new PythonView({ cells: [{ code: "x" }] }, { registry });
    view.update({ content: [], details: { cells: [{ ...cell, code: "x", status: "complete", durationMs: 5 }] } });
    const context = plainContext(60);
    expect(view.render({ ...context })).toBe(view.render(context));
  });
});
