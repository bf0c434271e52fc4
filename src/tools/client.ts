import type { CallOptions, ToolResult } from "./tool.ts";

/** Everything a front end needs; the App in this process and the daemon's client are both one. */
export interface Client {
  /** Runs one tool. Wrong input and failures of the tool are results with `isError`; a rejection means that Nuthatch failed. */
  callTool(name: string, input: unknown, options: CallOptions): Promise<ToolResult>;
  /** Ends what belongs to this client; in process that is every kernel. Idempotent. */
  dispose(): Promise<void>;
}
