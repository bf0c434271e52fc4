/** Writes one line for a person to standard error; standard output belongs to data. */
export function logLine(message: string): void {
  process.stderr.write(`nuthatch: ${message}\n`);
}

/**
 * Sends every `console.*` call to standard error, because a library that logs must never put a word between the JSON lines
 * on standard output.
 */
export function divertConsole(): void {
  const write = (...parts: unknown[]) => {
    if (process.env.NUTHATCH_DEBUG) process.stderr.write(`${parts.map(String).join(" ")}\n`);
  };
  for (const level of ["log", "info", "warn", "error", "debug", "trace"] as const) console[level] = write;
}
