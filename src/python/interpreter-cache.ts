import { closeSync, mkdirSync, openSync, readFileSync, readSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { InterpreterFacts } from "./probe-interpreter.ts";

interface Entry {
  stamp: string;
  facts: InterpreterFacts;
}

/** Where an interpreter is asked: its answer may depend on both. */
export interface CallPlace {
  cwd: string;
  env: Record<string, string>;
}

/** The most interpreters whose answers are kept; the oldest go first. */
const MOST_ENTRIES = 100;
/** What pyenv, asdf and mise choose a Python by: files of the folder and those above it, and variables. */
const VERSION_FILES = [".python-version", ".tool-versions", "mise.toml", ".mise.toml", "mise.local.toml"];
const VERSION_VARIABLES = ["PYENV_VERSION", "ASDF_PYTHON_VERSION", "MISE_PYTHON_VERSION"];

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

  /** The answer of an interpreter, if it still holds at this place. */
  get(path: string, place: CallPlace): InterpreterFacts | undefined {
    const script = isScript(path);
    const entry = this.#load()[keyOf(path, place, script)];
    return entry && entry.stamp === stampOf(path, place, entry.facts, script) ? entry.facts : undefined;
  }

  /** Keeps an answer. A file that cannot be written costs the next process a probe, nothing else. */
  set(path: string, place: CallPlace, facts: InterpreterFacts): void {
    const script = isScript(path);
    const key = keyOf(path, place, script);
    const { [key]: _, ...others } = this.#load();
    const entries = { ...others, [key]: { stamp: stampOf(path, place, facts, script), facts } };
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

/** A script that stands for an interpreter may mean another one in every folder. */
function keyOf(path: string, { cwd }: CallPlace, script: boolean): string {
  return script ? `${path} in ${cwd}` : path;
}

function stampOf(path: string, { cwd, env }: CallPlace, facts: InterpreterFacts, script: boolean): string {
  const files = [path, facts.executable, ...facts.searched, ...(script ? versionFiles(cwd, env) : [])];
  const times = files.map((one) => statSync(one, { throwIfNoEntry: false })?.mtimeMs ?? null);
  const variables = ["PYTHONPATH", "PYTHONHOME", ...(script ? VERSION_VARIABLES : [])].map((name) => env[name] ?? null);
  return JSON.stringify([times, variables]);
}

function versionFiles(cwd: string, env: Record<string, string>): string[] {
  const folders = [cwd];
  while (dirname(folders.at(-1)!) !== folders.at(-1)) folders.push(dirname(folders.at(-1)!));
  const root = env.PYENV_ROOT || join(env.HOME ?? "/", ".pyenv");
  return [join(root, "version"), ...folders.flatMap((folder) => VERSION_FILES.map((name) => join(folder, name)))];
}

function isScript(path: string): boolean {
  const start = Buffer.alloc(2);
  try {
    const file = openSync(path, "r");
    readSync(file, start);
    closeSync(file);
  } catch {}
  return start.toString("latin1") === "#!";
}
