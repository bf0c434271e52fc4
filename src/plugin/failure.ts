import { errorMessage } from "../errors.ts";

/** Why a plugin, or a part of it, is not in use. `line` is a line of `source`. */
export interface PluginFailure {
  source: string;
  message: string;
  line?: number;
}

/** Describes what a plugin's file was refused for, or threw; several syntax errors are told as the first. */
export function describeFailure(source: string, error: unknown, prefix = ""): PluginFailure {
  const cause = error instanceof AggregateError ? error.errors[0] : error;
  const line = lineOf(source, cause);
  return { source, message: prefix + errorMessage(cause), ...(line === undefined ? {} : { line }) };
}

/** A syntax error of Bun has a position; what was thrown names the file and the line in its stack. */
function lineOf(source: string, error: unknown): number | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const position = "position" in error ? (error.position as { file?: string; line?: number } | null) : null;
  if (position?.file === source) return position.line;
  const stack = "stack" in error && typeof error.stack === "string" ? error.stack : "";
  const at = stack.indexOf(`${source}:`);
  return at === -1 ? undefined : Number.parseInt(stack.slice(at + source.length + 1), 10) || undefined;
}
