/** Lines of context around a change, as `diff -u` shows them. */
const CONTEXT = 3;
/** The search for the shortest diff ends here; beyond, a block is shown as replaced whole. */
const MOST_STEPS = 500;

/** A line of a diff: kept, removed, added. */
interface DiffLine {
  kind: " " | "-" | "+";
  text: string;
}

/** A unified diff of two lists of lines, each with its own line end; empty where they are equal. `names` heads it. */
export function unifiedDiff(before: readonly string[], after: readonly string[], names?: [string, string]): string {
  const lines = diffLines(before, after);
  const hunks = findHunks(lines).map(([start, end]) => formatHunk(lines, start, end));
  if (hunks.length === 0) return "";
  const head = names === undefined ? "" : `--- ${names[0]}\n+++ ${names[1]}\n`;
  return head + hunks.join("");
}

function diffLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  const kept = (text: string): DiffLine => ({ kind: " ", text });
  return [
    ...before.slice(0, start).map(kept),
    ...shortestEdit(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map(kept),
  ];
}

/** Myers, "An O(ND) Difference Algorithm and Its Variations": the greedy search, with its trace walked back. */
function shortestEdit(before: readonly string[], after: readonly string[]): DiffLine[] {
  const trace: Map<number, number>[] = [];
  let reached = new Map([[1, 0]]);
  for (let steps = 0; steps <= Math.min(before.length + after.length, MOST_STEPS); steps++) {
    trace.push(reached);
    const next = new Map(reached);
    for (let diagonal = -steps; diagonal <= steps; diagonal += 2) {
      let x = isDown(reached, diagonal, steps) ? at(reached, diagonal + 1) : at(reached, diagonal - 1) + 1;
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x++;
      next.set(diagonal, x);
      if (x >= before.length && x - diagonal >= after.length) return walkBack(trace, before, after);
    }
    reached = next;
  }
  const line = (kind: "-" | "+") => (text: string) => ({ kind, text });
  return [...before.map(line("-")), ...after.map(line("+"))];
}

function walkBack(
  trace: readonly Map<number, number>[],
  before: readonly string[],
  after: readonly string[],
): DiffLine[] {
  const lines: DiffLine[] = [];
  let x = before.length;
  let y = after.length;
  for (let steps = trace.length - 1; steps >= 0; steps--) {
    const reached = trace[steps] as Map<number, number>;
    const diagonal = x - y;
    const previous = isDown(reached, diagonal, steps) ? diagonal + 1 : diagonal - 1;
    const fromX = at(reached, previous);
    const fromY = fromX - previous;
    while (x > fromX && y > fromY && x > 0 && y > 0) {
      lines.push({ kind: " ", text: before[--x] as string });
      y--;
    }
    if (steps === 0) break;
    if (x === fromX) lines.push({ kind: "+", text: after[--y] as string });
    else lines.push({ kind: "-", text: before[--x] as string });
  }
  return lines.reverse();
}

function isDown(reached: Map<number, number>, diagonal: number, steps: number): boolean {
  return diagonal === -steps || (diagonal !== steps && at(reached, diagonal - 1) < at(reached, diagonal + 1));
}

function at(reached: Map<number, number>, diagonal: number): number {
  return reached.get(diagonal) ?? 0;
}

/** The ranges of lines to show: the changes with their context, joined where they touch. */
function findHunks(lines: readonly DiffLine[]): [number, number][] {
  const hunks: [number, number][] = [];
  for (const [index, line] of lines.entries()) {
    if (line.kind === " ") continue;
    const last = hunks.at(-1);
    const start = Math.max(0, index - CONTEXT);
    const end = Math.min(lines.length, index + 1 + CONTEXT);
    if (last !== undefined && start <= last[1]) last[1] = end;
    else hunks.push([start, end]);
  }
  return hunks;
}

function formatHunk(lines: readonly DiffLine[], start: number, end: number): string {
  const count = (from: number, to: number, kind: "-" | "+") =>
    lines.slice(from, to).filter((line) => line.kind === " " || line.kind === kind).length;
  const range = (kind: "-" | "+") => {
    const length = count(start, end, kind);
    const first = count(0, start, kind) + (length === 0 ? 0 : 1);
    return length === 1 ? `${first}` : `${first},${length}`;
  };
  const body = lines.slice(start, end).map(({ kind, text }) => {
    return text.endsWith("\n") ? `${kind}${text}` : `${kind}${text}\n\\ No newline at end of file\n`;
  });
  return `@@ -${range("-")} +${range("+")} @@\n${body.join("")}`;
}
