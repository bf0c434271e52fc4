import { join } from "node:path";
import { NuthatchError } from "./errors.ts";
import type { Executor } from "./execute/executor.ts";
import { type Directories, ensureUsableDirectories } from "./paths.ts";
import type { PluginHooks } from "./plugin/hooks.ts";
import { PluginHost } from "./plugin/plugin-host.ts";
import type { Settings } from "./settings.ts";
import type { Client, SessionClient } from "./tools/client.ts";
import { readInput } from "./tools/input.ts";
import { TOOLS } from "./tools/list.ts";
import { resultOfError } from "./tools/result.ts";
import { RunRegistry } from "./tools/run-registry.ts";
import type { CallOptions, ToolContext, ToolResult } from "./tools/tool.ts";

/** What an App is composed for: this user's directories, and the settings that shape its executor. */
export interface AppOptions {
  directories: Directories;
  settings: Settings;
  /** The process goes on when a client has left, as the daemon does. */
  outlivesClients?: boolean;
}

/** The composition root: makes what a tool asks for when it first asks, validates input, and turns errors into results. */
export class App implements Client {
  private runtimePromise: Promise<Runtime> | undefined;
  private startedRuntime: Runtime | undefined;
  private readonly runs: RunRegistry;
  private readonly plugins: PluginHost;

  constructor(private readonly options: AppOptions) {
    const { outlivesClients = false } = options;
    this.runs = new RunRegistry(outlivesClients ? "it outlives this client" : "it ends with this process");
    this.plugins = new PluginHost({
      builtIns: async () => (await import("../plugins/index.ts")).BUILT_IN_PLUGINS,
      directories: options.directories,
      executable: process.execPath,
    });
  }

  async callTool(name: string, input: unknown, options: CallOptions): Promise<ToolResult> {
    try {
      const load = TOOLS.get(name);
      if (load === undefined) throw unknownTool(name);
      const tool = await load();
      const hooks = this.plugins.hasFiles(options) ? (await this.plugins.forCall(options)).hooks : undefined;
      const run = async () => await tool.run(readInput(tool, input), this.contextOf(options, hooks));
      return hooks === undefined ? await run() : await tellHooks(hooks, { tool: name, input, cwd: options.cwd }, run);
    } catch (error) {
      return resultOfError(error);
    }
  }

  private contextOf(options: CallOptions, hooks: PluginHooks | undefined): ToolContext {
    return {
      ...options,
      executor: async () => (await this.runtime()).executor,
      runs: this.runs,
      reviewNotebook: hooks?.has("notebookWrite")
        ? (path, content) => hooks.refuseWrite({ path, content: content() })
        : undefined,
    };
  }

  session(name: string): SessionClient {
    const executor = async () => (await this.runtime()).executor;
    return {
      complete: async (code, cursor) => await (await executor()).askSession(name).complete(code, cursor),
      inspect: async (code, cursor) => await (await executor()).askSession(name).inspect(code, cursor),
      isComplete: async (code) => await (await executor()).askSession(name).isComplete(code),
      interrupt: async () => await (await executor()).interruptSession(name),
      watch: async (listener, signal) => await watchUntil((await executor()).watchSession(name, listener), signal),
    };
  }

  /** What a daemon lives for: sessions with a kernel, runs in the background, and the results of those that have ended. */
  activity(): { sessions: number; runs: number; results: number } {
    const { running, ended } = this.runs.count();
    return { sessions: this.startedRuntime?.executor.listSessions().length ?? 0, runs: running, results: ended };
  }

  async dispose(): Promise<void> {
    await this.runs.dispose();
    const runtime = await this.runtimePromise?.catch(() => undefined);
    await runtime?.[Symbol.asyncDispose]();
  }

  private runtime(): Promise<Runtime> {
    this.runtimePromise ??= startRuntime(this.options, this.plugins).then((runtime) => {
      this.startedRuntime = runtime;
      return runtime;
    });
    return this.runtimePromise;
  }
}

/** The executor and what it stands on. */
interface Runtime extends AsyncDisposable {
  executor: Executor;
}

/** Loads and composes what runs code: kernels of this host, the gateway over them, and the executor as its client. */
async function startRuntime({ settings, ...options }: AppOptions, plugins: PluginHost): Promise<Runtime> {
  const directories = ensureUsableDirectories(options.directories);
  const [{ createKernelProvider }, { createGateway }, { createExecutor }, { filterEnvironment }] = await Promise.all([
    import("./kernel/kernel-provider.ts"),
    import("./gateway/gateway.ts"),
    import("./execute/executor.ts"),
    import("./python/filter-environment.ts"),
  ]);
  const host = { cwd: process.cwd(), env: filterEnvironment(process.env, settings.environment).env };
  const kernels = createKernelProvider({ directories, settings, ...host });
  const gateway = createGateway({ kernels, ...host, spillFolder: join(directories.state, "spill") });
  const executor = createExecutor({
    gateway: { ...gateway.serverSettings, local: true },
    directories,
    artifactLimits: { maxAge: settings.artifactMaxAge, maxBytes: settings.artifactMaxBytes },
    plugins: (request) => plugins.forCall(request),
  });
  return {
    executor,
    async [Symbol.asyncDispose]() {
      await executor.dispose();
      await gateway.dispose();
      await kernels[Symbol.asyncDispose]();
    },
  };
}

/** Makes an App; nothing is started or loaded until a tool needs it. */
export function createApp(options: AppOptions): App {
  return new App(options);
}

/** Runs a call between its two hooks. */
async function tellHooks(
  hooks: PluginHooks,
  call: { tool: string; input: unknown; cwd: string },
  run: () => Promise<ToolResult>,
): Promise<ToolResult> {
  const startedAt = performance.now();
  await hooks.notify("toolCall", call);
  const result = await run().catch(resultOfError);
  const { isError, details } = result;
  await hooks.notify("toolResult", { ...call, isError, details, durationMs: performance.now() - startedAt });
  return result;
}

/** Stops the watch when the signal aborts. */
async function watchUntil(stop: () => void, signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  stop();
}

function unknownTool(name: string): NuthatchError {
  return new NuthatchError({
    code: "unknown_tool",
    message: `unknown tool "${name}"`,
    hint: `the tools are ${[...TOOLS.keys()].join(", ")}`,
  });
}
