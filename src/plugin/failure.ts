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
  const position = positionOf(cause);
  const elsewhere = position !== undefined && position.file !== source ? ` (${position.file}:${position.line})` : "";
  const line = position?.file === source ? position.line : lineInStack(source, cause);
  return { source, message: prefix + errorMessage(cause) + elsewhere, ...(line === undefined ? {} : { line }) };
}

/** Where Bun found a syntax error (its `BuildMessage`). */
function positionOf(error: unknown): { file: string; line: number } | undefined {
  if (typeof error !== "object" || error === null || !("position" in error)) return undefined;
  const position = error.position as { file?: string; line?: number } | null;
  return position?.file && position.line ? { file: position.file, line: position.line } : undefined;
}

function lineInStack(source: string, error: unknown): number | undefined {
  const stack = error instanceof Error && typeof error.stack === "string" ? error.stack : "";
  const frame = stack.split("\n").find((line) => /^\s*at /.test(line) && line.includes(`${source}:`));
  if (frame === undefined) return undefined;
  return Number.parseInt(frame.slice(frame.indexOf(`${source}:`) + source.length + 1), 10) || undefined;
}
