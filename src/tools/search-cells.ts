import { errorMessage, invalidInput } from "../errors.ts";
import { cellMembers, type NotebookDocument } from "../notebook/document.ts";
import { readSource } from "../notebook/source.ts";

/** How long the cells of a notebook are searched by an expression. */
const LIMIT_MS = 3_000;

/** Reads `{source, flags, texts}` and writes `1` or `0` for each text as soon as it is known. */
const MATCHER = `const { readFileSync, writeSync } = require("node:fs");
const { source, flags, texts } = JSON.parse(readFileSync(0, "utf8"));
const expression = new RegExp(source, flags);
for (const text of texts) writeSync(1, expression.test(text) ? "1" : "0");`;

/**
 * Those of the cells whose source has a text, or matches a regular expression between slashes, with flags. Throws
 * `invalid_input`, also where an expression takes too long, with the cell that it was at.
 */
export async function searchCells(
  document: NotebookDocument,
  indexes: readonly number[],
  search: string,
  signal: AbortSignal,
): Promise<number[]> {
  const sources = indexes.map((index) => readSource(document.bytes, cellMembers(document, index)));
  const pattern = /^\/(.+)\/([a-z]*)$/s.exec(search);
  if (pattern === null) return indexes.filter((_, at) => sources[at]?.includes(search));
  const expression = compile(pattern[1] as string, (pattern[2] as string).replace(/[gy]/g, ""));
  const results = await match(expression, sources, signal);
  if (results.length === sources.length) return indexes.filter((_, at) => results[at] === "1");
  throw invalidInput(
    `search ${search} took more than ${LIMIT_MS / 1000} seconds, in cell ${indexes[results.length]}`,
    "search",
    "a simpler expression, plain text, or fewer cells with range",
  );
}

function compile(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, flags);
  } catch (error) {
    throw invalidInput(`search is not a regular expression: ${errorMessage(error)}`, "search");
  }
}

/**
 * A `1` or `0` for each text, fewer when it took too long. An expression can take years for a short text, and nothing but the
 * end of its process stops it: so this executable runs it in one of its own, as Bun and with nothing of the environment.
 */
async function match({ source, flags }: RegExp, texts: readonly string[], signal: AbortSignal): Promise<string> {
  const child = Bun.spawn([process.execPath, "-e", MATCHER], {
    cwd: "/",
    env: { BUN_BE_BUN: "1" },
    stdin: new Blob([JSON.stringify({ source, flags, texts })]),
    stdout: "pipe",
    stderr: "ignore",
    timeout: LIMIT_MS,
    killSignal: "SIGKILL",
    signal,
  });
  const results = await new Response(child.stdout).text();
  if ((await child.exited) === 0 || child.signalCode === "SIGKILL") return results;
  throw new Error(`the search ended with exit status ${child.exitCode}`);
}
