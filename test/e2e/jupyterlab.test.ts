// Notebooks that run_notebook has run, and runs, in JupyterLab in a real browser (needs .venv and Chromium).
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { HAS_JUPYTER, type JupyterServer, startJupyter } from "../execute/jupyter-server.ts";
import { testNotebook } from "../execute/live-notebook.ts";
import { waitFor } from "../execute/showing.ts";
import { callTool, temporaryFolder } from "../nuthatch.ts";

const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find((path) => existsSync(path));
const VENV = join(import.meta.dir, "../../.venv");
const LIMIT = 120_000;
const FLAGS = [
  ..."no-sandbox disable-gpu disable-quic no-first-run".split(" "),
  ..."disable-background-networking disable-component-update disable-sync".split(" "),
].map((flag) => `--${flag}`);

describe.skipIf(!HAS_JUPYTER || CHROMIUM === undefined)("JupyterLab", () => {
  let home: ReturnType<typeof temporaryFolder>;
  let jupyter: JupyterServer;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    home = temporaryFolder();
    jupyter = await startJupyter("lab", ["--ServerApp.token=own", "--LabApp.news_url=None"]);
    browser = await chromium.launch({ executablePath: CHROMIUM as string, args: FLAGS });
    page = await browser.newPage();
    page.setDefaultTimeout(LIMIT / 2);
  }, LIMIT);

  afterAll(async () => {
    await browser?.close();
    await jupyter?.[Symbol.asyncDispose]();
    home[Symbol.dispose]();
  }, LIMIT);

  const file = (name: string) => join(jupyter.root, name);
  const read = (name: string) => JSON.parse(readFileSync(file(name), "utf8"));
  const cell = (index: number) => page.locator(".jp-Notebook .jp-Cell").nth(index);
  const output = (index: number) => cell(index).locator(".jp-OutputArea-output");
  const dialog = () => page.locator(".jp-Dialog");

  const runTool = (input: Record<string, unknown>) => {
    const env = { PATH: `${join(VENV, "bin")}:${process.env.PATH}`, VIRTUAL_ENV: VENV };
    return callTool("run_notebook", input, { home: home.path, cwd: jupyter.root, env }, ["--in-process"]);
  };

  async function open(name: string): Promise<void> {
    await page.goto(`${jupyter.url}lab/workspaces/${name}/tree/${name}.ipynb?token=own`);
    await page.locator(".jp-Notebook .jp-Cell").first().waitFor();
  }

  async function type(index: number, text: string): Promise<void> {
    await cell(index).locator(".cm-content").click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type(text);
  }

  test(
    "shows what one call has edited and run: text, a picture, a table, a traceback, a widget",
    async () => {
      const cells = [
        "print('from the tool')",
        "import matplotlib.pyplot as plt\nplt.plot([1, 3, 2]); plt.show()",
        "import pandas as pd\npd.DataFrame({'column': [1, 2]})",
        "import ipywidgets\nipywidgets.IntSlider(value=42, description='slides')",
        { source: "1 / 0", metadata: { tags: ["raises-exception"] } },
      ];
      writeFileSync(file("ran.ipynb"), JSON.stringify(testNotebook(cells), null, 1));
      const edit = [
        { action: "edit", cell_id: "a", content: "print('edited and run')" },
        { action: "insert", cell_index: 1, content: "6 * 7" },
      ];
      const { result } = await runTool({ notebook_path: "ran.ipynb", edit });
      expect(result).toMatchObject({ isError: false, details: { executed: 6 } });
      // JupyterLab draws widgets of a notebook that it has not run itself only where its user trusts it.
      const env = { ...process.env, HOME: jupyter.root, JUPYTER_CONFIG_DIR: jupyter.root };
      Bun.spawnSync([join(VENV, "bin/jupyter"), "trust", file("ran.ipynb")], { env });
      await open("ran");
      await output(0).filter({ hasText: "edited and run" }).waitFor();
      await output(1).filter({ hasText: "42" }).waitFor();
      await cell(2).locator("img[src^='data:image/png']").waitFor();
      await cell(3).locator("table th", { hasText: "column" }).waitFor();
      await cell(4).locator(".widget-slider, .jupyter-widgets", { hasText: "slides" }).first().waitFor();
      await output(5).filter({ hasText: "ZeroDivisionError" }).waitFor();
      expect(await cell(1).locator(".jp-InputPrompt").first().textContent()).toBe("[2]:");
    },
    LIMIT,
  );

  test(
    "loses nothing of a notebook that the tool edits and runs, and asks before it overwrites that",
    async () => {
      const words = { cell_type: "markdown", source: "words", outputs: undefined, execution_count: undefined };
      writeFileSync(file("both.ipynb"), JSON.stringify(testNotebook(["'before'", "'second'", words]), null, 1));
      await open("both");
      const edit = [{ action: "edit", cell_id: "a", content: waitFor(file("go")) }];
      const running = runTool({ notebook_path: "both.ipynb", edit });
      while (!readFileSync(file("both.ipynb"), "utf8").includes("begun")) await Bun.sleep(10);

      // The person has the notebook as it was before the edit, changes another cell, and saves.
      await type(1, " # by hand");
      await page.keyboard.press("Control+s");
      await dialog().getByText("has changed on disk").waitFor();
      await dialog().getByRole("button", { name: "Revert" }).click();
      await cell(0).getByText("begun").first().waitFor();

      // What the person saves while it runs is merged: the outputs go beside it.
      await type(1, " # by hand");
      await page.keyboard.press("Control+s");
      while (!readFileSync(file("both.ipynb"), "utf8").includes("by hand")) await Bun.sleep(10);
      writeFileSync(file("go"), "");
      const { result, text } = await running;
      expect(result.isError).toBe(false);
      expect(text).toContain("Cell 1 (id b) was changed or removed on disk while the notebook ran");
      const [first, second] = read("both.ipynb").cells;
      expect(first.outputs[0].text).toEqual(["begun\n"]);
      expect([[second.source].flat().join(""), second.outputs]).toEqual(["'second' # by hand", []]);

      // At the next save JupyterLab asks; what is on disk is what it shows after "Revert".
      await type(1, "!");
      await page.keyboard.press("Control+s");
      await dialog().getByText("has changed on disk").waitFor();
      expect(await dialog().getByRole("button").allTextContents()).toEqual(["Cancel", "Revert", "Overwrite"]);
      expect(read("both.ipynb").cells[0].outputs[0].text).toEqual(["begun\n"]);
      await dialog().getByRole("button", { name: "Revert" }).click();
      await output(0).filter({ hasText: "begun" }).waitFor();
      expect(await cell(1).locator(".cm-content").textContent()).toBe("'second' # by hand");
    },
    LIMIT,
  );
});
