import type { NotebookOutput } from "./notebook-outputs.ts";

/**
 * The outputs of a cell that has ended, as nbclient stores them (`coalesce_streams`): the text of a stream is one output where
 * it first came, standard output before standard error where they meet, and of a line that was written over its last state.
 */
export function coalesceStreams(outputs: readonly NotebookOutput[]): NotebookOutput[] {
  const joined = joinStreams(outputs);
  for (const [index, output] of joined.entries()) {
    const next = joined[index + 1];
    if (isStream(output, "stderr") && next !== undefined && isStream(next, "stdout")) {
      joined[index] = next;
      joined[index + 1] = output;
    }
  }
  return joined.map((output) =>
    output.output_type === "stream" ? { ...output, text: settleText(String(output.text)) } : output,
  );
}

/** What a front end shows of text with carriage returns and backspaces; one that may still be followed stays. */
export function settleText(text: string): string {
  if (!/[\r\b]/.test(text)) return text;
  return text
    .split("\n")
    .map((line) => writeOver(dropOverwritten(line)))
    .join("\n");
}

function joinStreams(outputs: readonly NotebookOutput[]): NotebookOutput[] {
  const streams = new Map<unknown, NotebookOutput>();
  const joined: NotebookOutput[] = [];
  for (const output of outputs) {
    const first = output.output_type === "stream" ? streams.get(output.name) : undefined;
    if (first !== undefined) {
      first.text = `${first.text}${output.text}`;
      continue;
    }
    const own = { ...output };
    if (output.output_type === "stream") streams.set(output.name, own);
    joined.push(own);
  }
  return joined;
}

/** What stands before the last carriage return that text follows is gone, as nbclient has it, however short that text is. */
function dropOverwritten(line: string): string {
  let end = line.length;
  while (line[end - 1] === "\r") end--;
  const start = line.lastIndexOf("\r", end - 1);
  return end === 0 || start < 0 ? line : line.slice(start + 1);
}

/** A backspace moves back within its line, and what follows takes the place of what was there. */
function writeOver(line: string): string {
  if (!line.includes("\b")) return line;
  const shown: string[] = [];
  let at = 0;
  for (const character of line) {
    if (character === "\b") at = Math.max(0, at - 1);
    else shown[at++] = character;
  }
  return shown.join("");
}

function isStream(output: NotebookOutput, name: string): boolean {
  return output.output_type === "stream" && output.name === name;
}
