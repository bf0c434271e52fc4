// The same notebooks by nbclient and by us, on the same kernel (needs .venv; those of the corpus need the corpus).
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { corpusFiles } from "../notebook/notebooks.ts";
import { KINDS, type LiveExecutor, liveExecutor } from "./live-executor.ts";
import { testNotebook } from "./live-notebook.ts";

const VENV = join(import.meta.dir, "../../.venv");

/** Notebooks that need nothing but the standard library, numpy, pandas and matplotlib, or that fail alike without it. */
const CORPUS = [
  "06-v4-basic",
  "07-v4-future",
  "08-v4-no-minor",
  "09-ids-duplicate",
  "11-timings",
  "27-indent-4-dupkeys",
  "43-media-zoo",
  "50-widget-small",
  "52-papermill",
  "58-nbgrader",
  "59-jupytext-vscode",
  "69-nul-output",
  "72-transient-key",
  "74-unknown-mime",
  "77-source-cr",
  "79-solveit",
  "S02-numbers",
  "S04-terminal-injection",
  "S06-odd-separators",
  "S12-widths",
];

const STREAMS = testNotebook([
  "import sys\nprint('out 1')\nprint('err 1', file=sys.stderr, flush=True)\nprint('out 2')",
  "for i in range(11): print(f'\\r{i * 10} %', end='', flush=True)\nprint()",
  "for i in range(4): print(i, end='\\r')",
  "from tqdm import tqdm\nfor _ in tqdm(range(3), bar_format='{l_bar}{bar:10}{n}'): pass",
  "import subprocess; subprocess.run(['sh', '-c', 'echo child'])\n!echo magic; echo magic 2 >&2",
  "print('a\\x0cb\\u2028c\\x85d\\r\\ne')",
  "print('x' * 3_000)\nprint('\\n' * 50)",
]);

const DISPLAYS = testNotebook([
  "from IPython.display import HTML, JSON, Latex, Markdown, Math, SVG, clear_output, display, update_display",
  "handle = display('zero', display_id='first')\n_ = display('one', display_id='second')",
  "display('again', display_id='first')",
  "handle.update('updated')\nupdate_display(HTML('<b>second</b>'), display_id='second', metadata={'kept': 1})",
  "print('gone'); clear_output(); print('kept')",
  "print('gone'); clear_output(wait=True); print('kept')",
  "print('kept'); clear_output(wait=True)",
  "display(JSON({'b': [1, {'a': None}]}), Latex('$x$'), Math('y'), Markdown('# h'), SVG('<svg xmlns=\"http://www.w3.org/2000/svg\"/>'))",
  "print('before'); display('between'); print('after')\n'result'",
  "import pandas as pd, numpy as np\npd.DataFrame(np.arange(6).reshape(2, 3), columns=list('abc'))",
  "import matplotlib.pyplot as plt\nplt.figure(figsize=(2, 1)); plt.plot([1, 3, 2]); plt.show()\nplt.figure(figsize=(1, 1)); plt.plot([1]);",
  "class Odd:\n    def _repr_mimebundle_(self, include, exclude): return {'text/plain': 'odd', 'application/x-odd': 'a\\nb', 'text/x': 'a\\nb'}\nOdd()",
  "display({'text/plain': 'raw', 'image/png': 'iVBORw0KGgo=\\n'}, raw=True)",
]);

const ERRORS = testNotebook([
  "def f(n): return 1 / n\nf(0)",
  "if True\n    pass",
  "raise ValueError('\\x1b[31mred\\x1b[0m \\r text')",
  "class Broken:\n    def __repr__(self): raise RuntimeError('no repr')\nBroken()",
  "%%nosuchmagic\nx",
  "try:\n    {}['k']\nexcept KeyError as error: raise TypeError('outer') from error",
  { source: "raise SystemError", metadata: { tags: ["raises-exception"] } },
  { source: "1 / 0", metadata: { tags: ["skip-execution"] } },
  " \n",
  "print('before'); nowhere",
]);

const WIDGETS = testNotebook([
  "import ipywidgets as w\nfrom IPython.display import display\nslider = w.IntSlider(value=3)\nslider",
  "out = w.Output()\nout",
  "with out:\n    print('captured')\n    display('shown')\nprint('not captured')",
  "out.clear_output()\nwith out: print('second')",
  "slider.value = 7\nw.HBox([slider, w.Label('text')])",
  "w.Image(value=b'\\x89PNG\\r\\n', format='png')",
  "out.outputs",
]);

interface Notebook {
  cells: { cell_type: string; outputs: unknown[]; execution_count: number | null }[];
  metadata: { widgets?: Record<string, { state: Record<string, unknown> }> };
}

/** What differs from run to run by nature: addresses, the kernel's process, ids of widgets, and the folders. */
function withoutChance(value: unknown): string {
  return JSON.stringify(value)
    .replace(/0x[0-9a-f]{6,}/g, "<address>")
    .replace(/ipykernel_\d+/g, "ipykernel_<pid>")
    .replace(/(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])/g, "<id>")
    .replace(/\/(?:ours|theirs)\//g, "/");
}

function widgetsOf({ metadata }: Notebook): string[] {
  const { state = {} } = metadata.widgets?.["application/vnd.jupyter.widget-state+json"] ?? {};
  return Object.values(state).map(withoutChance).sort();
}

const own = { streams: STREAMS, displays: DISPLAYS, errors: ERRORS, widgets: WIDGETS };
const files = corpusFiles().filter(({ file }) => CORPUS.includes(file.replace(/\.ipynb$/, "")));
const sources: [name: string, bytes: () => Buffer][] = [
  ...Object.entries(own).map(([name, notebook]): [string, () => Buffer] => [
    name,
    () => Buffer.from(JSON.stringify(notebook)),
  ]),
  ...files.map(({ file, path }): [string, () => Buffer] => [file, () => readFileSync(path)]),
];

describe.skipIf(KINDS.some(({ missing }) => missing))("what nbclient stores is what we store", () => {
  let live: LiveExecutor;
  const place = (by: string, name: string) => join(live.cwd, by, name, "n.ipynb");
  const read = (path: string) => JSON.parse(readFileSync(path, "utf8")) as Notebook;

  beforeAll(async () => {
    live = liveExecutor("python3");
    for (const [name, bytes] of sources) {
      for (const by of ["ours", "theirs"]) {
        mkdirSync(dirname(place(by, name)), { recursive: true });
        writeFileSync(place(by, name), bytes());
      }
    }
    const theirs = sources.flatMap(([name]) => [place("theirs", name), `${place("theirs", name)}.out`]);
    const script = join(import.meta.dir, "nbclient-run.py");
    const { environment, settings } = live.request([]);
    const peer = Bun.spawn([join(VENV, "bin/python"), script, ...theirs], { env: environment, stderr: "pipe" });
    for (const [name] of sources) {
      const request = {
        path: place("ours", name),
        cwd: live.cwd,
        environment,
        settings,
        allowErrors: true,
        timeout: 60,
      };
      await live.executor.runNotebook(request, { signal: new AbortController().signal });
    }
    if ((await peer.exited) !== 0) throw new Error(await new Response(peer.stderr).text());
  }, 300_000);

  afterAll(async () => await live[Symbol.asyncDispose]());

  test.each(sources.map(([name]) => name))("%s", (name) => {
    const [ours, theirs] = [read(place("ours", name)), read(`${place("theirs", name)}.out`)];
    expect(ours.cells).toHaveLength(theirs.cells.length);
    for (const [index, cell] of theirs.cells.entries()) {
      if (cell.cell_type !== "code") continue;
      const stored = ({ outputs, execution_count }: typeof cell) => withoutChance({ index, outputs, execution_count });
      expect(stored(ours.cells[index] as typeof cell)).toBe(stored(cell));
    }
    expect(widgetsOf(ours)).toEqual(widgetsOf(theirs));
  });

  test.skipIf(files.length === 0)("twenty notebooks of the corpus are among them", () => {
    expect(files).toHaveLength(20);
  });
});
