import { createExecutor, type Executor } from "../../src/execute/executor.ts";
import type { GatewaySettings } from "../../src/execute/gateway-settings.ts";
import type { PythonResult } from "../../src/execute/model.ts";
import type { SessionTiming } from "../../src/execute/session-pool.ts";
import { createGateway, type Gateway } from "../../src/gateway/gateway.ts";
import { findDirectories } from "../../src/paths.ts";
import { loadSettings, type Settings } from "../../src/settings.ts";
import { temporaryFolder } from "../nuthatch.ts";
import { scriptedProvider } from "./scripted-kernel.ts";

/** What one call of a scripted executor may have of its own. */
export interface ScriptedCall {
  name?: string;
  reset?: boolean;
  timeout?: number;
  settings?: Partial<Settings>;
}

/** An executor on an embedded gateway whose kernels are scripted: everything but the processes is real. */
export class ScriptedExecutor implements AsyncDisposable {
  readonly provider = scriptedProvider();
  readonly gateway: Gateway;
  readonly executor: Executor;
  readonly #folder = temporaryFolder();

  constructor(
    timing: Partial<SessionTiming> = {},
    change: (settings: GatewaySettings) => GatewaySettings = (same) => same,
  ) {
    const cwd = this.#folder.path;
    this.gateway = createGateway({ kernels: this.provider, cwd, env: {}, spillFolder: cwd });
    this.executor = createExecutor({
      gateway: change({ ...this.gateway.serverSettings, local: true }),
      directories: findDirectories({ NUTHATCH_HOME: cwd }),
      timing,
    });
  }

  get names(): string[] {
    return this.executor.listSessions().map(({ name }) => name);
  }

  async run(code: string, call: ScriptedCall = {}): Promise<PythonResult & { text: string }> {
    const { settings } = loadSettings({ configDirectory: this.#folder.path });
    const { name, reset, timeout } = call;
    const own = { name, reset, timeout, settings: { ...settings, ...call.settings } };
    const request = { cells: [{ code }], cwd: this.#folder.path, environment: {}, ...own };
    const result = await this.executor.run(request, { signal: new AbortController().signal });
    return { ...result, text: result.content.map((block) => (block.type === "text" ? block.text : "")).join("") };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.executor.dispose();
    await this.gateway.dispose();
    this.#folder[Symbol.dispose]();
  }
}
