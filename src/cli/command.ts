import type { Directories } from "../paths.ts";
import type { Settings } from "../settings.ts";
import type { OptionSpec } from "./arguments.ts";

/** What a command is run with: its words, and what the options for all commands gave. */
export interface Invocation {
  positionals: string[];
  /** Text of the options that take a value, by name, exactly as typed. */
  values: Record<string, string>;
  pairs: Record<string, [first: string, second: string][]>;
  switches: Set<string>;
  cwd: string;
  environment: Record<string, string | undefined>;
  directories: Directories;
  settings: Settings;
  session?: string;
  json: boolean;
  inProcess: boolean;
}

/** A command as data; the help and the completion are made from it. `run` returns the exit status. */
export interface Command {
  name: string;
  /** The arguments as the help shows them, such as `<tool> [json]`. */
  usage: string;
  summary: string;
  /** How many positional words it takes, at least and at most. */
  words: [number, number];
  options: OptionSpec[];
  load(): Promise<(invocation: Invocation) => Promise<number>>;
}

/** Exit statuses: the tool reported an error or the user's input was wrong; Nuthatch itself failed; interrupted. */
export const EXIT = { done: 0, failed: 1, internal: 2, interrupted: 130 } as const;

/** Codes of errors that are Nuthatch's own fault, or its daemon's, and no matter of the user's input or code. */
const OWN_FAILURES = new Set([
  "internal_error",
  "output_failed",
  "daemon_died",
  "daemon_gone",
  "daemon_unresponsive",
  "daemon_start_failed",
]);

/** The exit status for an error with that code. */
export function failureStatus(code: unknown): number {
  return OWN_FAILURES.has(code as string) ? EXIT.internal : EXIT.failed;
}
