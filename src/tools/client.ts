import type { KernelQuestions } from "../execute/ask-kernel.ts";
import type { SessionListener } from "../execute/session-watchers.ts";
import type { CallOptions, ToolResult } from "./tool.ts";

/** Everything a front end needs; the App in this process and the daemon's client are both one. */
export interface Client {
  /** Runs one tool. Wrong input and failures of the tool are results with `isError`; a rejection means that Nuthatch failed. */
  callTool(name: string, input: unknown, options: CallOptions): Promise<ToolResult>;
  /** The session of that name, as `sessions list` gives it, for a person who works in it beside an agent. */
  session(name: string): SessionClient;
  /** Ends what belongs to this client; in process that is every kernel. Idempotent. */
  dispose(): Promise<void>;
}

/** A session beside the calls that run cells in it. Questions to a session that is not live reject with `session_not_found`. */
export interface SessionClient extends KernelQuestions {
  interrupt(): Promise<void>;
  /** Hears every call of every client in it until the signal aborts; the session need not be live yet. */
  watch(listener: SessionListener, signal: AbortSignal): Promise<void>;
}
