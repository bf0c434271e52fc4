import { existsSync } from "node:fs";
import { join } from "node:path";
import { createExecutor, type Executor, type ExecutorOptions } from "../../src/execute/executor.ts";
import type { GatewaySettings } from "../../src/execute/gateway-settings.ts";
import type { PythonRequest, PythonResult, RunOptions } from "../../src/execute/model.ts";
import { connectGateway } from "../../src/execute/remote-gateway.ts";
import type { SessionTiming } from "../../src/execute/session-pool.ts";
import { createGateway, type Gateway } from "../../src/gateway/gateway.ts";
import { createKernelProvider } from "../../src/kernel/kernel-provider.ts";
import type { SpareOptions } from "../../src/kernel/spare-kernels.ts";
import { findDirectories } from "../../src/paths.ts";
import { loadSettings, type Settings } from "../../src/settings.ts";
import { temporaryFolder } from "../nuthatch.ts";
import { HAS_JUPYTER, startJupyter } from "./jupyter-server.ts";

const VENV = join(import.meta.dir, "../../.venv");

/** The kernels that every behaviour is tested on; ipykernel needs the Python environment of the tests. */
export const KINDS = [
  { kernel: "bundled", missing: false },
  { kernel: "python3", missing: !existsSync(join(VENV, "bin/python")) },
];

/** The kernels and gateways that whole suites are run on. */
export const PLACES = [
  ...KINDS.map(({ kernel, missing }) => ({
    kernel,
    missing,
    place: kernel,
    open: async (options?: LiveOptions) => liveExecutor(kernel, options),
  })),
  { kernel: "auto", missing: !HAS_JUPYTER, place: "python3 of a Jupyter server", open: openOnJupyterServer },
];

/** What a live executor may have of its own instead of the default. */
export interface LiveOptions {
  settings?: Partial<Settings>;
  timing?: Partial<SessionTiming>;
  /** Stands between the executor and the embedded gateway. */
  wrap?: (fetch: Gateway["fetch"]) => Gateway["fetch"];
  /** Variables of the caller and of the gateway. */
  env?: Record<string, string>;
  /** A gateway of somebody else. */
  remote?: GatewaySettings;
  spares?: SpareOptions;
  plugins?: ExecutorOptions["plugins"];
  modules?: ExecutorOptions["modules"];
}

/** An executor on an embedded gateway with real kernels in a home and a working directory of its own. */
export interface LiveExecutor extends AsyncDisposable {
  executor: Executor;
  gateway: Gateway;
  cwd: string;
  home: string;
  settings: Settings;
  request(cells: (string | { code: string; title?: string })[], more?: Partial<PythonRequest>): PythonRequest;
  /** Runs cells and gives the result with its text. */
  run(
    cells: (string | { code: string; title?: string })[],
    more?: Partial<PythonRequest>,
    options?: Partial<RunOptions>,
  ): Promise<PythonResult & { text: string }>;
}

export function liveExecutor(kernel: string, options: LiveOptions = {}): LiveExecutor {
  const home = temporaryFolder();
  const folder = temporaryFolder();
  const environment = { ...process.env, NUTHATCH_HOME: home.path, VIRTUAL_ENV: VENV, ...options.env };
  const env = environment as Record<string, string>;
  const all = { ...loadSettings({ configDirectory: home.path }).settings, kernel, ...options.settings };
  const directories = findDirectories(env);
  const { spares = { count: 0, idleTimeout: 0 } } = options;
  const kernels = createKernelProvider({ directories, settings: all, spares, cwd: folder.path, env });
  const gateway = createGateway({ kernels, cwd: folder.path, env, spillFolder: `${home.path}/spill` });
  const fetch = options.wrap?.(gateway.fetch) ?? gateway.fetch;
  const { plugins, modules } = options;
  const executor = createExecutor({
    ...(plugins ? { plugins } : {}),
    ...(modules ? { modules } : {}),
    gateway: options.remote ?? { ...gateway.serverSettings, fetch, local: true },
    timing: options.timing ?? {},
    directories,
  });
  const request: LiveExecutor["request"] = (cells, more = {}) => ({
    cells: cells.map((cell) => (typeof cell === "string" ? { code: cell } : cell)),
    cwd: folder.path,
    environment,
    settings: all,
    timeout: 30,
    ...more,
  });
  return {
    executor,
    gateway,
    cwd: folder.path,
    home: home.path,
    settings: all,
    request,
    async run(cells, more, options = {}) {
      const result = await executor.run(request(cells, more), { signal: new AbortController().signal, ...options });
      return { ...result, text: result.content.map((block) => (block.type === "text" ? block.text : "")).join("") };
    },
    async [Symbol.asyncDispose]() {
      await executor.dispose();
      await gateway.dispose();
      await kernels[Symbol.asyncDispose]();
      home[Symbol.dispose]();
      folder[Symbol.dispose]();
    },
  };
}

async function openOnJupyterServer(options: LiveOptions = {}): Promise<LiveExecutor> {
  const server = await startJupyter("server", ["--ServerApp.token=place"]);
  const live = liveExecutor("auto", { ...options, remote: await connectGateway({ url: server.url, token: "place" }) });
  return {
    ...live,
    async [Symbol.asyncDispose]() {
      await live[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}
