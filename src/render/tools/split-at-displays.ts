import type { Output } from "../../output/model.ts";

/** A stretch of a cell's text: what was printed, or a display in the form that a call's text gives it. */
export type TextPart = { kind: "text"; text: string } | { kind: "display"; display: Display };

/** An output, and the text that stands for it. */
export interface Display {
  output: Output;
  text: string;
}

/** UTF-16 units that are gone through for displays that may not be there: a text of thousands is its end only. */
const MOST_SEARCHED = 20_000_000;

/**
 * Cuts the text of a cell at the displays that stand in it, so that a tree or a heading is drawn where the cell showed it. They
 * are looked for in their order, those of each type for themselves, then anywhere. A short number or word could be anything
 * and must have its lines to itself.
 */
export function splitAtDisplays(text: string, displays: readonly Display[]): TextPart[] {
  const parts: TextPart[] = [];
  let done = 0;
  for (const { at, display } of findDisplays(text, displays)) {
    if (at < done) continue;
    parts.push({ kind: "text", text: text.slice(done, at).replace(/\n$/, "") }, { kind: "display", display });
    const end = at + display.text.length;
    done = text[end] === "\n" ? end + 1 : end;
  }
  parts.push({ kind: "text", text: text.slice(done) });
  return parts.filter((part) => part.kind !== "text" || part.text !== "");
}

function findDisplays(text: string, displays: readonly Display[]): { at: number; display: Display }[] {
  const lines = `\n${text}\n`;
  const searched = new Map<string, number>();
  let left = MOST_SEARCHED;
  const found = displays.flatMap((display) => {
    const from = searched.get(display.output.type) ?? 0;
    if (left < 0 || display.text === "") return [];
    const needle = `\n${display.text}\n`;
    const after = lines.indexOf(needle, from);
    const at = after < 0 ? lines.indexOf(needle) : after;
    left -= at < 0 ? 2 * lines.length : Math.abs(at - from);
    if (at < 0) return [];
    searched.set(display.output.type, at + display.text.length + 1);
    return [{ at, display }];
  });
  return found.sort((left, right) => left.at - right.at);
}
