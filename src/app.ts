import { NuthatchError } from "./errors.ts";
import type { GatewayServer, Listening } from "./gateway/gateway-server.ts";
import type { Directories } from "./paths.ts";
import type { PluginHooks } from "./plugin/hooks.ts";
import { PluginHost } from "./plugin/plugin-host.ts";
import { Runtime } from "./runtime.ts";
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
  /** The process ends with its one call, as `nuthatch call --in-process` does. */
  endsWithCall?: boolean;
  /** The process goes on when a client has left, as the daemon does. */
  outlivesClients?: boolean;
  /** Starts the daemon where it does not run, and gives the socket of its gateway; the daemon itself has none but its own. */
  findSharedGateway?: () => Promise<string>;
}

/** The composition root: makes what a tool asks for when it first asks, validates input, and turns errors into results. */
export class App implements Client {
  private readonly runtime: Runtime;
  private readonly runs: RunRegistry;
  private readonly plugins: PluginHost;

  constructor(private readonly options: AppOptions) {
    const { outlivesClients = false, endsWithCall = false } = options;
    const lifetime = outlivesClients ? "it outlives this client" : "it ends with this process";
    this.runs = new RunRegistry(endsWithCall ? undefined : lifetime);
    this.plugins = new PluginHost({
      builtIns: async () => (await import("../plugins/index.ts")).BUILT_IN_PLUGINS,
      directories: options.directories,
      executable: process.execPath,
    });
    this.runtime = new Runtime(options, this.plugins);
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
      return resultOfError(isAbort(error, options.signal) ? callCancelled() : error);
    }
  }

  private contextOf(options: CallOptions, hooks: PluginHooks | undefined): ToolContext {
    return {
      ...options,
      executor: () => this.runtime.executorFor(options.settings),
      executors: () => this.runtime.executors,
      runs: this.runs,
      reviewNotebook: hooks?.has("notebookWrite")
        ? (path, content) => hooks.refuseWrite({ path, content: content() })
        : undefined,
    };
  }

  session(name: string): SessionClient {
    const executor = () => this.runtime.executorOf(name, this.options.settings);
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
    const sessions = this.runtime.executors.reduce((sum, executor) => sum + executor.listSessions().length, 0);
    return { sessions, runs: running, results: ended };
  }

  /** Serves the Jupyter API of this App's own gateway to other processes. The App stops it at its end. */
  serveGateway(listening: Listening): Promise<GatewayServer> {
    return this.runtime.serveGateway(listening);
  }

  /** Another process takes the place of this one, and tells the callers of its sessions that they ended. */
  leaveSessions(): void {
    this.runtime.leaveSessions();
  }

  async dispose(): Promise<void> {
    await this.runs.dispose();
    await this.runtime.dispose();
  }
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

/** What was thrown because the caller gave up. */
function isAbort(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted && error === signal.reason;
}

function callCancelled(): NuthatchError {
  return new NuthatchError({ code: "cancelled", message: "The call was cancelled", data: { cancelled: true } });
}

function unknownTool(name: string): NuthatchError {
  return new NuthatchError({
    code: "unknown_tool",
    message: `unknown tool "${name}"`,
    hint: `the tools are ${[...TOOLS.keys()].join(", ")}`,
  });
}
