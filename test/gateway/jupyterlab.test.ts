import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { type GatewayServer, serveGateway } from "../../src/gateway/gateway-server.ts";
import { HAS_JUPYTER, type JupyterServer, startJupyter } from "../execute/jupyter-server.ts";
import { type LiveExecutor, liveExecutor } from "../execute/live-executor.ts";

const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find((path) => existsSync(path));
const LIMIT = 120_000;

const asCells = (cells: [source: string, id: string][]) =>
  cells.map(([source, id]) => ({ cell_type: "code", id, metadata: {}, execution_count: null, outputs: [], source }));

const SHARED_CELLS = asCells([["print(shared); answer = 'set in the browser'", "shared"]]);

const NOTEBOOK = {
  cells: asCells([
    ["print('hello from the browser')", "greeting"],
    ["import matplotlib.pyplot as plt\nplt.plot([1, 3, 2]); plt.show()", "plot"],
    ["while True: pass", "endless"],
    ["print('state:', 'plt' in globals())", "state"],
  ]),
  metadata: { kernelspec: { name: "python3", display_name: "Python 3", language: "python" } },
  nbformat: 4,
  nbformat_minor: 5,
};

describe.skipIf(!HAS_JUPYTER || CHROMIUM === undefined)("JupyterLab on our gateway", () => {
  let live: LiveExecutor;
  let server: GatewayServer;
  let jupyter: JupyterServer;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    live = liveExecutor("python3");
    server = serveGateway(live.gateway, { hostname: "127.0.0.1", port: 0, token: "gate" });
    const gateway = [`--GatewayClient.url=${server.url.slice(0, -1)}`, "--GatewayClient.auth_token=gate"];
    jupyter = await startJupyter("lab", [...gateway, "--ServerApp.token=own", "--LabApp.news_url=None"]);
    await Bun.write(join(jupyter.root, "work.ipynb"), JSON.stringify(NOTEBOOK));
    browser = await chromium.launch({ executablePath: CHROMIUM as string, args: ["--no-sandbox"] });
    page = await browser.newPage();
    page.setDefaultTimeout(LIMIT / 2);
  }, LIMIT);

  afterAll(async () => {
    await browser?.close();
    await jupyter?.[Symbol.asyncDispose]();
    await server?.stop();
    await live[Symbol.asyncDispose]();
  }, LIMIT);

  const cell = (index: number) => page.locator(".jp-Notebook .jp-CodeCell").nth(index);
  const output = (index: number) => cell(index).locator(".jp-OutputArea-output");

  async function run(index: number): Promise<void> {
    await cell(index).locator(".cm-content").click();
    await page.keyboard.press("Control+Enter");
  }

  test(
    "opens a notebook, runs a cell with output and a plot, interrupts a loop, and restarts",
    async () => {
      await page.goto(`${jupyter.url}lab/tree/work.ipynb?token=own`);
      await page.getByText("| Idle").waitFor();
      await run(0);
      await output(0).filter({ hasText: "hello from the browser" }).waitFor();
      await run(1);
      await cell(1).locator("img[src^='data:image/png']").waitFor();
      await run(2);
      await cell(2).locator(".jp-InputPrompt", { hasText: "[*]" }).waitFor();
      await page.locator("[data-jp-item-name='interrupt'] jp-button").click();
      await output(2).filter({ hasText: "KeyboardInterrupt" }).waitFor();
      await run(3);
      await output(3).filter({ hasText: "state: True" }).waitFor();
      await page.locator("[data-jp-item-name='restart'] jp-button").click();
      await page.locator(".jp-Dialog button", { hasText: "Restart" }).click();
      await run(3);
      await output(3).filter({ hasText: "state: False" }).waitFor();
      expect(await page.locator(".jp-Dialog").count()).toBe(0);
    },
    LIMIT,
  );

  test(
    "sees a variable that a call of the python tool has set in the same kernel, and the other way round",
    async () => {
      const known = await kernelIds();
      await live.run(["shared = 'set by the tool'"]);
      const [id] = (await kernelIds()).filter((one) => !known.includes(one));
      await Bun.write(join(jupyter.root, "shared.ipynb"), JSON.stringify({ ...NOTEBOOK, cells: SHARED_CELLS }));
      const session = { path: "shared.ipynb", name: "shared.ipynb", type: "notebook", kernel: { id } };
      const attached = await fetch(`${jupyter.url}api/sessions?token=own`, {
        method: "POST",
        body: JSON.stringify(session),
      });
      expect(attached.status).toBe(201);
      await page.goto(`${jupyter.url}lab/workspaces/two/tree/shared.ipynb?token=own`);
      await page.getByText("| Idle").waitFor();
      await run(0);
      await output(0).filter({ hasText: "set by the tool" }).waitFor();
      expect((await live.run(["print(answer)"])).text).toBe("set in the browser\n");
    },
    LIMIT,
  );

  async function kernelIds(): Promise<string[]> {
    const kernels = await (await live.gateway.fetch("http://embedded.invalid/api/kernels")).json();
    return (kernels as { id: string }[]).map((kernel) => kernel.id);
  }
});
