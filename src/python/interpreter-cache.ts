import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { InterpreterFacts } from "./probe-interpreter.ts";

interface Entry {
  stamp: string;
  facts: InterpreterFacts;
}

/** The most interpreters whose answers are kept; the oldest go first. */
const MOST_ENTRIES = 100;

/**
 * Keeps what interpreters said about themselves in a file. An answer holds while the interpreter and every folder that it
 * imports from are unchanged: installing ipykernel changes one of these.
 */
export class InterpreterCache {
  readonly #path: string;
  #entries: Record<string, Entry> | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** The answer of an interpreter, if it still holds for this environment. */
  get(path: string, env: Record<string, string>): InterpreterFacts | undefined {
    const entry = this.#load()[path];
    return entry && entry.stamp === stampOf(path, entry.facts, env) ? entry.facts : undefined;
  }

  /** Keeps an answer. A file that cannot be written costs the next process a probe, nothing else. */
  set(path: string, env: Record<string, string>, facts: InterpreterFacts): void {
    const entries = this.#load();
    delete entries[path];
    entries[path] = { stamp: stampOf(path, facts, env), facts };
    this.#entries = Object.fromEntries(Object.entries(entries).slice(-MOST_ENTRIES));
    const draft = `${this.#path}.${process.pid}`;
    try {
      mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
      writeFileSync(draft, JSON.stringify(this.#entries), { mode: 0o600 });
      renameSync(draft, this.#path);
    } catch {}
  }

  #load(): Record<string, Entry> {
    this.#entries ??= readEntries(this.#path);
    return this.#entries;
  }
}

function readEntries(path: string): Record<string, Entry> {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return {};
  }
}

function stampOf(path: string, facts: InterpreterFacts, env: Record<string, string>): string {
  const times = [path, ...facts.searched].map((one) => statSync(one, { throwIfNoEntry: false })?.mtimeMs);
  return JSON.stringify([times, env.PYTHONPATH, env.PYTHONHOME]);
}
