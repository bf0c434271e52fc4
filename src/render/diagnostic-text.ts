/** What is wrong with a plugin or a module of the user's, as one line with its place. */
export function diagnosticText(diagnostic: unknown): string {
  if (typeof diagnostic === "string") return diagnostic;
  const { source, line, message } = (diagnostic ?? {}) as Record<string, unknown>;
  if (typeof message !== "string") return JSON.stringify(diagnostic);
  return source === undefined ? message : `${source}${line === undefined ? "" : `:${line}`}: ${message}`;
}
