import { logLine } from "../log.ts";
import { diagnosticText } from "../render/diagnostic-text.ts";
import type { ToolResult } from "../tools/tool.ts";

/** Says on standard error what was refused, and what to do instead. */
export function reportRefusal(message: string, hint: string | undefined): void {
  logLine(`error: ${message}`);
  if (hint !== undefined) logLine(`hint: ${hint}`);
}

/** The same for a result that is a tool's own error. */
export function reportRefused({ details }: ToolResult): void {
  const { message, hint } = details as { message: string; hint?: string };
  reportRefusal(message, hint);
}

/** Says on standard error what a call could do without: a plugin or a module of the user's that failed. */
export function warnOfDiagnostics({ details }: ToolResult): void {
  const { diagnostics = [] } = details as { diagnostics?: unknown[] };
  for (const diagnostic of diagnostics) logLine(`warning: ${diagnosticText(diagnostic)}`);
}
