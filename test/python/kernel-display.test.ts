import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import {
  driverPython,
  errorOf,
  hasDriver,
  KernelDriver,
  type Output,
  resultText,
  streamText,
} from "./kernel-driver.ts";

const displayed = (cell: { outputs: Output[] }) =>
  cell.outputs.filter((output) => /display|execute_result|clear/.test(output.type)).map((output) => output.content);

describe.skipIf(!hasDriver)("display in the bundled kernel", () => {
  let kernel: KernelDriver;

  beforeAll(async () => {
    kernel = await KernelDriver.start();
  });

  afterAll(() => kernel[Symbol.asyncDispose]());

  test("asks every _repr_ method, and encodes bytes", async () => {
    await kernel.execute(`class Rich:
    def _repr_html_(self): return "<b>h</b>"
    def _repr_markdown_(self): return "**m**"
    def _repr_svg_(self): return "<svg/>"
    def _repr_png_(self): return b"\\x89PNG", {"width": 3}
    def _repr_jpeg_(self): return None
    def _repr_latex_(self): return "$l$"
    def _repr_json_(self): return {"a": [1]}
    def _repr_javascript_(self): return "1"
    def _repr_pdf_(self): return b"%PDF"
    def __repr__(self): return "plain"`);
    expect(displayed(await kernel.execute("Rich()"))[0]).toMatchObject({
      data: {
        "text/html": "<b>h</b>",
        "text/markdown": "**m**",
        "image/svg+xml": "<svg/>",
        "image/png": "iVBORw==".slice(0, 5) === "iVBOR" ? "iVBORw==" : "",
        "text/latex": "$l$",
        "application/json": { a: [1] },
        "application/javascript": "1",
        "application/pdf": "JVBERg==",
        "text/plain": "plain",
      },
      metadata: { "image/png": { width: 3 } },
    });
    const narrowed = await kernel.execute("display(Rich(), include=['text/html'])");
    expect(displayed(narrowed)[0].data).toEqual({ "text/html": "<b>h</b>" });
  });

  test("lets _repr_mimebundle_ and _ipython_display_ have their way", async () => {
    const bundle = `class Bundle:
    def _repr_mimebundle_(self, include=None, exclude=None): return {"x/y": 1, "text/html": "from bundle"}, {"x/y": {"m": 1}}
    def _repr_html_(self): return "from method"
    def __repr__(self): return "B"
Bundle()`;
    expect(displayed(await kernel.execute(bundle))[0]).toMatchObject({
      data: { "x/y": 1, "text/html": "from bundle", "text/plain": "B" },
      metadata: { "x/y": { m: 1 } },
    });
    const own = "class Own:\n    def _ipython_display_(self): print('shown by itself')\nOwn()";
    const cell = await kernel.execute(own);
    expect(streamText(cell)).toBe("shown by itself\n");
    expect(displayed(cell)).toEqual([]);
  });

  test("tells a display method that raises, and shows the other forms", async () => {
    const cell = await kernel.execute(
      "class Bad:\n    def _repr_html_(self): 1/0\n    def __repr__(self): return 'bad'\nBad()",
    );
    expect(streamText(cell, "stderr")).toContain("ZeroDivisionError");
    expect(resultText(cell)).toBe("bad");
    const worse = await kernel.execute("class Worse:\n    def __repr__(self): 1/0\nWorse()");
    expect(errorOf(worse).ename).toBe("ZeroDivisionError");
    expect(worse.reply.status).toBe("error");
  });

  test("does not ask classes, nor objects that answer to every name", async () => {
    const cell = await kernel.execute(
      "class Any:\n    def __getattr__(self, name): return lambda *a, **k: 'no'\n    def __repr__(self): return 'any'\ndisplay(Any(), Rich)",
    );
    expect(displayed(cell).map((content) => Object.keys(content.data))).toEqual([["text/plain"], ["text/plain"]]);
  });

  test("updates what was shown under a display_id", async () => {
    const cell = await kernel.execute("h = display('zero', display_id='d1'); h.update('two')");
    expect(
      cell.outputs.slice(1).map(({ type, content }) => [type, content.data["text/plain"], content.transient]),
    ).toEqual([
      ["display_data", "'zero'", { display_id: "d1" }],
      ["update_display_data", "'two'", { display_id: "d1" }],
    ]);
    expect(resultText(await kernel.execute("len(display(1, display_id=True).display_id)"))).toBe("32");
  });

  test("sends what the making of a result displays as it comes, and what threads display meanwhile", async () => {
    const slow =
      "import os, threading, time\nos.mkfifo('gate'); gate = os.open('gate', os.O_RDWR)\nclass Slow:\n    def _ipython_display_(self): time.sleep(.1); show(); os.read(gate, 1)";
    await kernel.execute(slow);
    for (const show of ["display('now')", "t = threading.Thread(target=display, args=('now',)); t.start(); t.join()"]) {
      const id = await kernel.call<string>("send", { code: `def show(): ${show}\nSlow()` });
      await kernel.call("wait_for", { id, type: "display_data" });
      appendFileSync(join(kernel.folder, "gate"), "x");
      const { replies } = await kernel.call<{ replies: { status: string }[] }>("collect", { ids: [id] });
      expect(replies.map((reply) => reply.status)).toEqual(["ok"]);
    }
  });

  test("sends clear_output in its place", async () => {
    const cell = await kernel.execute(
      "from IPython.display import clear_output\nprint('old'); clear_output(wait=True); print('new')",
    );
    expect(cell.outputs.slice(1).map((output) => output.content)).toEqual([
      { name: "stdout", text: "old\n" },
      { wait: true },
      { name: "stdout", text: "new\n" },
    ]);
  });

  test("offers IPython.display where IPython is missing", async () => {
    const cell =
      await kernel.execute(`from IPython.display import (display, HTML, Image, Markdown, JSON, Latex, SVG, Javascript,
    Audio, Video, IFrame, FileLink, Code, Pretty, Math, update_display, display_html, publish_display_data)
import IPython
display(HTML("<i>x</i>"), Markdown("# t"), JSON({"n": float("nan")}), Image(data=b"\\x89PNG", width=4))
IPython.get_ipython()`);
    expect(displayed(cell).map((content) => content.data)).toMatchObject([
      { "text/html": "<i>x</i>" },
      { "text/markdown": "# t" },
      { "application/json": { n: "nan" } },
      { "image/png": "iVBORw==" },
    ]);
    expect(cell.reply.status).toBe("ok");
  });

  test("breaks long containers one item a line and cuts endless ones", async () => {
    expect(resultText(await kernel.execute("{'a': 1, 'b': [1, 2]}"))).toBe("{'a': 1, 'b': [1, 2]}");
    expect(resultText(await kernel.execute("{'k%d' % i: ['v' * 30] * 2 for i in range(2)}"))).toBe(
      "{'k0': ['vvvvvvvvvvvvvvvvvvvvvvvvvvvvvv', 'vvvvvvvvvvvvvvvvvvvvvvvvvvvvvv'],\n 'k1': ['vvvvvvvvvvvvvvvvvvvvvvvvvvvvvv', 'vvvvvvvvvvvvvvvvvvvvvvvvvvvvvv']}",
    );
    expect(resultText(await kernel.execute("list(range(5000))"))?.split("\n")).toHaveLength(1001);
    expect(resultText(await kernel.execute("a = []; a.append(a); a"))).toBe("[[...]]");
    expect(resultText(await kernel.execute("{3, 1, 2}, (1,), set(), frozenset({1})"))).toBe(
      "({1, 2, 3}, (1,), set(), frozenset({1}))",
    );
  });

  test("never sends what is no JSON", async () => {
    const cell = await kernel.execute(
      "display({'application/json': {'nan': float('nan'), 'inf': [float('-inf')], 'set': {1}, 'bytes': b'ab', 3: object}}, raw=True)",
    );
    expect(displayed(cell)[0].data["application/json"]).toEqual({
      nan: "nan",
      inf: ["-inf"],
      set: [1],
      bytes: "YWI=",
      "3": "<class 'object'>",
    });
  });
});

describe.skipIf(!hasDriver)("display in the bundled kernel beside installed packages", () => {
  let kernel: KernelDriver;

  beforeAll(async () => {
    kernel = await KernelDriver.start({
      python: driverPython,
      env: { MPLBACKEND: "module://matplotlib_inline.backend_inline" },
    });
  });

  afterAll(() => kernel[Symbol.asyncDispose]());

  test("redirects the installed IPython.display, which has no shell here", async () => {
    const cell = await kernel.execute(
      "from IPython.display import display, HTML, clear_output\nimport IPython\nh = display(HTML('<p>'), display_id='i'); h.update(HTML('<q>')); IPython.version_info[0] > 7",
    );
    expect(cell.outputs.slice(1).map((output) => output.type)).toEqual([
      "display_data",
      "update_display_data",
      "execute_result",
    ]);
    expect(cell.outputs[1]?.content.data["text/html"]).toBe("<p>");
  });

  test("shows figures as PNG at plt.show() and at the cell's end, once each", async () => {
    const shown = await kernel.execute(
      "import matplotlib.pyplot as plt\nplt.plot([1, 2]); print('before'); plt.show(); print('after')",
    );
    expect(shown.outputs.slice(1).map((output) => output.type)).toEqual(["stream", "display_data", "stream"]);
    expect(shown.outputs[2]?.content.data["image/png"]).toStartWith("iVBORw0KGgo");
    const left = await kernel.execute("%matplotlib inline\nfor i in range(2): plt.figure(); plt.plot([i])");
    expect(displayed(left)).toHaveLength(2);
    expect(displayed(await kernel.execute("fig, ax = plt.subplots(); ax.plot([1]); fig"))).toHaveLength(1);
    expect(displayed(await kernel.execute("1;"))).toEqual([]);
    expect(resultText(await kernel.execute("import os; plt.get_backend().lower(), os.environ['MPLBACKEND']"))).toBe(
      "('agg', 'agg')",
    );
  });

  test("shows a figure of a cell that failed", async () => {
    const cell = await kernel.execute("plt.plot([1]); 1/0");
    expect(displayed(cell)).toHaveLength(1);
    expect(cell.reply.ename).toBe("ZeroDivisionError");
  });

  test("shows pandas tables as HTML and text", async () => {
    const cell = await kernel.execute("import pandas; pandas.DataFrame({'a': [1, 2]})");
    const { data } = displayed(cell)[0];
    expect(data["text/html"]).toContain("<table");
    expect(data["text/plain"]).toBe("   a\n0  1\n1  2");
  });
});
