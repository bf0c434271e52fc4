import { existsSync, realpathSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { type FailedCandidate, pythonNotFound } from "./errors.ts";
import { InterpreterCache } from "./interpreter-cache.ts";
import { type InterpreterFacts, probeInterpreter } from "./probe-interpreter.ts";

/** Where an interpreter was found: the name of the setting, variable, folder or command. */
export interface Interpreter extends InterpreterFacts {
  path: string;
  source: string;
}

/** What decides which interpreter is chosen. `setting` is the `python` setting, `cachePath` a file in the state directory. */
export interface InterpreterSearch {
  cwd: string;
  env: Record<string, string>;
  setting?: string;
  cachePath: string;
  signal?: AbortSignal;
}

interface Candidate {
  path: string;
  source: string;
}

/**
 * The first that works of: the `python` setting, `VIRTUAL_ENV`, `CONDA_PREFIX`, `<cwd>/.venv`, `<cwd>/venv`, `python3` and
 * `python` on PATH. A setting that does not work is not passed over. Throws `python_not_found`.
 */
export async function findInterpreter(search: InterpreterSearch): Promise<Interpreter> {
  const candidates = search.setting ? [settingCandidate(search, search.setting)].values() : listCandidates(search);
  const cache = new InterpreterCache(search.cachePath);
  // Mostly the first is known, and the others need not be looked for.
  const first = candidates.next().value;
  const known = first && cache.get(first.path, search);
  if (known) return { ...known, ...first };
  return await probeInOrder(first ? [first, ...candidates] : [], search, cache);
}

/** Every interpreter in the order of choice, and those that do not work with the reason: what `doctor` shows. */
export async function findInterpreters(
  search: InterpreterSearch,
): Promise<{ found: Interpreter[]; failed: FailedCandidate[] }> {
  const candidates = [...listCandidates(search)];
  if (search.setting) candidates.unshift(settingCandidate(search, search.setting));
  const cache = new InterpreterCache(search.cachePath);
  const results = await Promise.all(candidates.map((candidate) => probe(candidate, search, cache)));
  return {
    found: results.flatMap((result) => ("facts" in result ? [{ ...result.facts, ...result.candidate }] : [])),
    failed: results.flatMap((result) => ("facts" in result ? [] : [{ ...result.candidate, reason: result.reason }])),
  };
}

/** Asks all at once, takes the first in order that works, and stops those that are still being asked. */
async function probeInOrder(
  candidates: Candidate[],
  search: InterpreterSearch,
  cache: InterpreterCache,
): Promise<Interpreter> {
  const rest = new AbortController();
  const signal = search.signal ? AbortSignal.any([search.signal, rest.signal]) : rest.signal;
  const failed: FailedCandidate[] = [];
  try {
    const answers = candidates.map((candidate) => probe(candidate, { ...search, signal }, cache));
    // One that fails is told when it is its turn, or never.
    for (const answer of answers) answer.catch(() => {});
    for (const answer of answers) {
      const result = await answer;
      if ("facts" in result) return { ...result.facts, ...result.candidate };
      failed.push({ ...result.candidate, reason: result.reason });
    }
  } finally {
    rest.abort();
  }
  search.signal?.throwIfAborted();
  throw pythonNotFound(failed);
}

async function probe(
  candidate: Candidate,
  search: InterpreterSearch,
  cache: InterpreterCache,
): Promise<{ candidate: Candidate } & ({ facts: InterpreterFacts } | { reason: string })> {
  const known = cache.get(candidate.path, search);
  if (known) return { candidate, facts: known };
  const answer = await probeInterpreter(candidate.path, search, search.signal);
  if ("facts" in answer) cache.set(candidate.path, search, answer.facts);
  return { candidate, ...answer };
}

function settingCandidate({ cwd, env }: InterpreterSearch, setting: string): Candidate {
  const command = setting.includes("/") ? resolve(cwd, setting) : Bun.which(setting, { PATH: env.PATH ?? "", cwd });
  const path = command ?? setting;
  const inFolder = pythonOf(path);
  return { path: inFolder ?? path, source: "setting python" };
}

function* listCandidates(search: InterpreterSearch): Generator<Candidate, undefined> {
  const seen = new Set<string>();
  for (const { source, path } of listPlaces(search)) {
    if (!path) continue;
    const identity = `${dirname(path)}${delimiter}${realpathSync(path)}`;
    if (!seen.has(identity)) yield { source, path };
    seen.add(identity);
  }
}

function* listPlaces({ cwd, env }: InterpreterSearch): Generator<{ source: string; path: string | undefined }> {
  const folders: [string, string | undefined][] = [
    ["VIRTUAL_ENV", env.VIRTUAL_ENV],
    ["CONDA_PREFIX", env.CONDA_PREFIX],
    [".venv", join(cwd, ".venv")],
    ["venv", join(cwd, "venv")],
  ];
  for (const [source, folder] of folders) yield { source, path: folder ? pythonOf(folder) : undefined };
  for (const name of ["python3", "python"]) yield { source: `${name} on PATH`, path: whichPython(name, cwd, env) };
}

function whichPython(name: string, cwd: string, env: Record<string, string>): string | undefined {
  const found = Bun.which(name, { PATH: env.PATH ?? "", cwd }) ?? undefined;
  return found && !isAbsolute(found) ? resolve(cwd, found) : found;
}

/** The interpreter of an environment's folder. */
function pythonOf(folder: string): string | undefined {
  return ["python3", "python"].map((name) => join(folder, "bin", name)).find((path) => existsSync(path));
}
