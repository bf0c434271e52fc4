import type { GenericSchema, InferOutput } from "valibot";
import type { Executor } from "../execute/executor.ts";
import type { NotebookReview } from "../notebook/notebook-file.ts";
import type { Content } from "../output/model.ts";
import type { Settings } from "../settings.ts";
import type { RunRegistry } from "./run-registry.ts";

/** What every tool returns: blocks for a model, the structured truth for programs (no base64 in it), and whether it failed. */
export interface ToolResult {
  content: Content[];
  details: Record<string, unknown>;
  isError: boolean;
}

/** What a running tool reports before its result: only the new text, and the details as they stand. */
export interface ToolUpdate {
  content: Content[];
  details: Record<string, unknown>;
}

/** What a call brings along: where it comes from, how it is cancelled, and who hears its updates. */
export interface CallOptions {
  cwd: string;
  /** The caller's environment; a daemon's own is another. */
  environment: Record<string, string | undefined>;
  settings: Settings;
  /** The session that `--session` named, for tools that take one. */
  session?: string;
  signal: AbortSignal;
  onUpdate?(update: ToolUpdate): void;
}

/** What the App adds to a call: its executor, started when a tool first asks for it, and its background runs. */
export interface ToolContext extends CallOptions {
  executor(): Promise<Executor>;
  /** The executors that are there by now, whatever gateway they use. */
  executors(): Executor[];
  /** What goes on after its call was answered. */
  runs: RunRegistry;
  /** What plugins say to a notebook that is to be written; absent where none wants to know. */
  reviewNotebook?: NotebookReview | undefined;
}

/** A tool as data: the CLI command, the help, `nuthatch call` and the MCP listing are made from it. */
export interface Tool<Schema extends GenericSchema = GenericSchema, Context extends CallOptions = ToolContext> {
  name: string;
  title: string;
  description: string;
  input: Schema;
  /** Other names that models use for parameters, by the name they stand for. */
  aliases?: Record<string, string>;
  /** Other names for the members of the objects in a parameter that is a list of them. */
  itemAliases?: Record<string, Record<string, string>>;
  run(input: InferOutput<Schema>, context: Context): Promise<ToolResult>;
}
