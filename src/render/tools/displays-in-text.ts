import type { Output } from "../../output/model.ts";

/** A stretch of a cell's text: what was printed, or a display in the form that a call's text gives it. */
export type TextPart = { kind: "text"; text: string } | { kind: "display"; output: Output };

/** An output, the text that stands for it, and its cell where that is known. */
export interface Display {
  output: Output;
  text: string;
  cell: number | undefined;
}

/**
 * The displays of a call that stand in its text, each found once, in the text of its own cell: so that a tree or a heading is
 * drawn where the cell showed it, and not told twice.
 */
export class DisplaysInText {
  #rest: Display[];

  constructor(displays: readonly Display[]) {
    this.#rest = displays
      .map((display) => ({ ...display, text: display.text.trim() }))
      .filter(({ text }) => text !== "");
  }

  /** Cuts the text of the cell `index` at the displays in it. */
  split(text: string, index: number): TextPart[] {
    const parts: TextPart[] = [];
    let rest = text;
    for (let next = this.#find(rest, index); next !== undefined; next = this.#find(rest, index)) {
      const { at, display } = next;
      parts.push(
        { kind: "text", text: rest.slice(0, at).replace(/\n$/, "") },
        { kind: "display", output: display.output },
      );
      rest = rest.slice(at + display.text.length).replace(/^\n/, "");
      this.#rest = this.#rest.filter((other) => other !== display);
    }
    parts.push({ kind: "text", text: rest });
    return parts.filter((part) => part.kind !== "text" || part.text !== "");
  }

  /** The outputs of a type that no text had, those of the cell `index`. */
  restOf(type: string, index: number): Output[] {
    return this.#rest.flatMap(({ output, cell }) =>
      output.type === type && (cell ?? index) === index ? [output] : [],
    );
  }

  /** The display that comes first; a short number or word could be anything and must have its lines to itself. */
  #find(text: string, index: number): { at: number; display: Display } | undefined {
    const found = this.#rest.flatMap((display) => {
      if ((display.cell ?? index) !== index) return [];
      const at = `\n${text}\n`.indexOf(`\n${display.text}\n`);
      return at < 0 ? [] : [{ at, display }];
    });
    return found.toSorted((left, right) => left.at - right.at)[0];
  }
}
