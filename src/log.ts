import { writeSync } from "node:fs";
import { errorCode } from "./errors.ts";

/** What a terminal would act on, or be deceived by: control characters but newline and tab, and changes of direction. */
const ACTING = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Writes one line for a person to standard error; standard output belongs to data. Names of files and of other things in it do
 * nothing to a terminal. A reader that has gone, or a full disk under a log, loses the line and fails nothing.
 * (`process.stderr` would raise it later, and costs 13 ms to make.)
 */
export function logLine(message: string): void {
  write(`nuthatch: ${message.replace(ACTING, picture)}\n`);
}

/** Unicode's picture of a control character, where it has one. */
function picture(character: string): string {
  const code = character.charCodeAt(0);
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : "\ufffd";
}

/**
 * Sends every `console.*` call to standard error, because a library that logs must never put a word between the JSON lines
 * on standard output.
 */
export function divertConsole(): void {
  const divert = (...parts: unknown[]) => {
    if (process.env.NUTHATCH_DEBUG) write(`${parts.map(String).join(" ")}\n`);
  };
  for (const level of ["log", "info", "warn", "error", "debug", "trace"] as const) console[level] = divert;
}

/** How often a reader that is slow to empty its pipe is waited for, a millisecond each. */
const MOST_WAITS = 1000;

function write(text: string): void {
  let bytes = Buffer.from(text);
  for (let waits = 0; bytes.length > 0; ) {
    try {
      bytes = bytes.subarray(writeSync(2, bytes));
    } catch (error) {
      if (errorCode(error) !== "EAGAIN" || ++waits > MOST_WAITS) return;
      Bun.sleepSync(1);
    }
  }
}
