import { NuthatchError } from "./errors.ts";
import type { Executor } from "./execute/executor.ts";
import type { Directories } from "./paths.ts";
import type { Settings } from "./settings.ts";
import type { Client } from "./tools/client.ts";
import { readInput } from "./tools/input.ts";
import { TOOLS } from "./tools/list.ts";
import { errorResult, internalErrorResult } from "./tools/result.ts";
import type { CallOptions, ToolResult } from "./tools/tool.ts";

/** What an App is composed for: this user's directories, and the settings that shape its executor. */
export interface AppOptions {
  directories: Directories;
  settings: Settings;
}

/** The composition root: makes what a tool asks for when it first asks, validates input, and turns errors into results. */
export class App implements Client {
  private executorPromise: Promise<Executor> | undefined;

  constructor(private readonly options: AppOptions) {}

  async callTool(name: string, input: unknown, options: CallOptions): Promise<ToolResult> {
    try {
      const load = TOOLS[name];
      if (load === undefined) throw unknownTool(name);
      const tool = await load();
      return await tool.run(readInput(tool, input), { ...options, executor: () => this.executor() });
    } catch (error) {
      return error instanceof Error && error.name === "NuthatchError"
        ? errorResult(error as NuthatchError)
        : internalErrorResult(error);
    }
  }

  /** What a daemon lives for: sessions with a kernel, and runs in the background. */
  activity(): { sessions: number; runs: number } {
    return { sessions: 0, runs: 0 };
  }

  async dispose(): Promise<void> {
    const executor = await this.executorPromise?.catch(() => undefined);
    await executor?.dispose();
  }

  private executor(): Promise<Executor> {
    this.executorPromise ??= this.createExecutor();
    return this.executorPromise;
  }

  private async createExecutor(): Promise<Executor> {
    throw new NuthatchError({ code: "internal_error", message: `no executor for ${this.options.settings.gateway}` });
  }
}

/** Makes an App; nothing is started or loaded until a tool needs it. */
export function createApp(options: AppOptions): App {
  return new App(options);
}

function unknownTool(name: string): NuthatchError {
  return new NuthatchError({
    code: "unknown_tool",
    message: `unknown tool "${name}"`,
    hint: `the tools are ${Object.keys(TOOLS).join(", ")}`,
  });
}
