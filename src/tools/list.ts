import type { GenericSchema } from "valibot";
import type { Tool, ToolContext } from "./tool.ts";

/** Any tool, whatever its input. */
export type AnyTool = Tool<GenericSchema, ToolContext>;

/** Every tool by name, loaded when it is called: the notebook editor must not wait for kernels' modules. */
export const TOOLS: ReadonlyMap<string, () => Promise<AnyTool>> = new Map(
  Object.entries<() => Promise<AnyTool>>({
    notebook: async () => (await import("./notebook.ts")).notebookTool,
    python: async () => (await import("./python.ts")).pythonTool,
    run_notebook: async () => (await import("./run-notebook.ts")).runNotebookTool,
    sessions: async () => (await import("./sessions.ts")).sessionsTool,
    runs: async () => (await import("./runs.ts")).runsTool,
  }),
);

/** Loads all tools, in the order of the table. */
export async function loadTools(): Promise<AnyTool[]> {
  return await Promise.all([...TOOLS.values()].map((load) => load()));
}
