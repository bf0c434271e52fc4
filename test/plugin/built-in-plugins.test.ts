import { describe, expect, test } from "bun:test";
import { BUILT_IN_PLUGINS } from "../../plugins/index.ts";
import { loadPlugins } from "../../src/plugin/load-plugins.ts";
import { createTheme } from "../../src/render/theme.ts";

const loaded = await loadPlugins({ builtIns: BUILT_IN_PLUGINS });
const capture = (bundle: Record<string, unknown>) => loaded.mime.capture(bundle);

function draw(type: string, data: unknown, width = 60): string[] {
  const renderer = loaded.renderers.findLast((found) => found.type === type);
  return renderer?.render({ type, data }, { width, expanded: false, theme: createTheme({ colors: "none" }) }) ?? [];
}

describe("the built-in plugins", () => {
  test("Markdown goes before plain text, plain text before HTML", () => {
    const bundle = { "text/html": "<b>h</b>", "text/plain": "p", "text/markdown": "*m*" };
    expect(capture(bundle)).toMatchObject({ text: "*m*", outputs: [{ type: "markdown", data: "*m*" }] });
    expect(capture({ "text/html": "<b>h</b>", "text/plain": "p" }).text).toBe("p");
    expect(capture({ "text/html": "<b>h</b>" }).text).toBe("**h**");
  });

  test("what is too long for a text of all of it says so, and is a file", () => {
    const html = "<p>words</p>".repeat(100_000);
    const long = capture({ "text/html": html });
    expect(long.text).toEndWith("\n\n[200000 more characters of HTML]");
    expect(long.outputs).toMatchObject([{ type: "html", file: { content: html, mimeType: "text/html" } }]);
    const csv = `a,b\n${"1,2\n".repeat(1500)}`;
    expect(capture({ "text/csv": csv })).toMatchObject({
      text: expect.stringMatching(/\n500 more rows$/),
      outputs: [{ type: "table", data: { total: 1500 }, file: { content: csv, mimeType: "text/csv" } }],
    });
    expect(capture({ "text/csv": "a\n1" }).outputs[0]?.file).toBeUndefined();
    expect(capture({ "text/html": "<p>" }).outputs).toEqual([]);
  });

  test("JSON is a value beside its text", () => {
    const bundle = { "application/json": { a: [1] }, "text/plain": "<IPython.core.display.JSON object>" };
    expect(capture(bundle)).toMatchObject({
      text: '{\n  "a": [\n    1\n  ]\n}',
      outputs: [{ type: "json", data: { a: [1] } }],
    });
    expect(capture({ "application/json": null }).outputs).toEqual([
      { type: "json", data: null, mimeType: "application/json" },
    ]);
  });

  test("pictures have no text of their own, and keep that of a figure", () => {
    expect(capture({ "image/png": "iVBO\nRw==\n", "text/plain": "<IPython.core.display.Image object>" })).toEqual({
      text: "",
      textMime: "image/png",
      outputs: [{ type: "image", data: "iVBORw==", mimeType: "image/png" }],
    });
    const figure = "<Figure size 640x480 with 1 Axes>";
    expect(capture({ "image/jpeg": "AAAA", "text/plain": figure })).toMatchObject({
      text: figure,
      outputs: [{ mimeType: "image/jpeg" }],
    });
  });

  test("a status event never has text", () => {
    const event = { op: "read_file", path: "a" };
    expect(capture({ "application/x-xcsh-status": event, "text/plain": "ignored" })).toEqual({
      text: "",
      textMime: "application/x-xcsh-status",
      outputs: [{ type: "status", data: event, mimeType: "application/x-xcsh-status" }],
    });
  });

  test("a widget is its text form", () => {
    const view = { model_id: "1", version_major: 2 };
    expect(capture({ "application/vnd.jupyter.widget-view+json": view, "text/plain": "IntSlider(value=3)" })).toEqual({
      text: "IntSlider(value=3)",
      textMime: "text/plain",
      outputs: [],
    });
  });

  test("an SVG is described, and kept as a file", () => {
    const svg = '<?xml version="1.0"?>\n<svg xmlns="x" width="120pt" height="80pt"><title>Flow</title></svg>';
    expect(capture({ "image/svg+xml": svg, "text/plain": "<IPython.core.display.SVG object>" })).toMatchObject({
      text: "SVG image, 120pt x 80pt: Flow",
      outputs: [{ type: "svg", file: { content: svg, mimeType: "image/svg+xml" } }],
    });
    expect(capture({ "image/svg+xml": '<svg viewBox="0 0 10 20"/>' }).text).toBe("SVG image, 10 x 20");
  });

  test("LaTeX is its source where there is no plain text", () => {
    const placeholder = "<IPython.core.display.Latex object>";
    expect(capture({ "text/latex": "$x^2$", "text/plain": placeholder }).text).toBe("$x^2$");
    expect(draw("latex", "$x^2$").join("\n")).toBe("x²");
  });

  test("CSV with quotes, commas and line breaks in its fields is a table", () => {
    const csv = 'name,note\r\n"Smith, J","said ""hi"""\nplain,"two\nlines"\n,\n';
    expect(capture({ "text/csv": csv })).toMatchObject({
      text: '| name | note |\n| --- | --- |\n| Smith, J | said "hi" |\n| plain | two lines |\n|  |  |',
      outputs: [{ type: "table", data: { head: ["name", "note"], total: 3 } }],
    });
  });

  test("a DataFrame in the Table Schema form is a table, in text and on the terminal", () => {
    const resource = {
      schema: { fields: [{ name: "index" }, { name: "x" }] },
      data: [
        { index: 0, x: 1.5 },
        { index: 1, x: null },
      ],
    };
    const captured = capture({ "application/vnd.dataresource+json": resource });
    expect(captured.text).toBe("| index | x |\n| --- | --- |\n| 0 | 1.5 |\n| 1 |  |");
    expect(draw("table", captured.outputs[0]?.data)).toMatchInlineSnapshot(`
      [
        "index │ x",
        "──────┼────",
        "0     │ 1.5",
        "1     │",
      ]
    `);
  });

  test("a long table is cut and says how much it has", () => {
    const csv = `n\n${Array.from({ length: 5000 }, (_, index) => index).join("\n")}\n`;
    expect(capture({ "text/csv": csv }).text).toEndWith("| 999 |\n\n4000 more rows");
    expect(draw("table", capture({ "text/csv": csv }).outputs[0]?.data).at(-1)).toBe("… 4980 more rows");
  });

  test("charts say their title, marks and size, and keep their specification", () => {
    const altair = {
      $schema: "https://vega.github.io/schema/vega-lite/v5.json",
      title: "Cars",
      mark: { type: "point" },
      encoding: { x: { field: "hp", type: "quantitative" }, y: { aggregate: "mean", field: "mpg" } },
      width: 300,
      height: 200,
    };
    expect(capture({ "application/vnd.vegalite.v5+json": altair, "text/plain": "alt.Chart(...)" })).toMatchObject({
      text: 'Vega-Lite chart "Cars": marks point; x: hp, y: mean of mpg; 300 x 200',
      outputs: [{ type: "chart", file: { content: JSON.stringify(altair), mimeType: "application/json" } }],
    });
    const figure = {
      data: [{ type: "bar", name: "2024" }, { y: [1, 2] }],
      layout: { title: { text: "Sales" }, xaxis: { title: { text: "month" } } },
    };
    expect(capture({ "application/vnd.plotly.v1+json": figure, "text/html": "<div>long</div>" }).text).toBe(
      'Plotly chart "Sales": marks bar 2024, scatter; x: month',
    );
  });

  test("values of a wrong shape are declined, not thrown about", () => {
    for (const mime of loaded.mime.mimeTypes) {
      for (const value of [null, 1, "text", [], {}, { data: 1, layout: null, encoding: { x: null } }, [["a"]]])
        capture({ [mime]: value });
    }
    expect(loaded.failed).toEqual([]);
  });

  test("an error is drawn from its traceback or its name", () => {
    const data = { name: "ValueError", value: "no", traceback: [] };
    expect(draw("error", data)).toEqual(["ValueError: no"]);
    expect(draw("error", { ...data, traceback: ["Traceback", "ValueError: no"] })).toEqual([
      "Traceback",
      "ValueError: no",
    ]);
  });
});
