/** A stretch of a cell's text: what was printed, or a display in the form that a call's text gives it. */
export type TextPart =
  | { kind: "text"; text: string }
  | { kind: "markdown"; text: string }
  | { kind: "json"; value: unknown };

interface Display {
  needle: string;
  part: TextPart;
}

/**
 * The displays of a call that stand in its text, each found once, in any order of cells: so that a tree or a heading is drawn
 * where the cell showed it, and not told twice.
 */
export class DisplaysInText {
  #rest: Display[];

  constructor(markdown: readonly string[], json: readonly unknown[]) {
    this.#rest = [
      ...markdown.map((text): Display => ({ needle: text.trim(), part: { kind: "markdown", text } })),
      ...json.map(
        (value): Display => ({ needle: JSON.stringify(value, null, 2) ?? "", part: { kind: "json", value } }),
      ),
    ].filter(({ needle }) => needle !== "");
  }

  /** Cuts the text of one cell at the displays in it. */
  split(text: string): TextPart[] {
    const parts: TextPart[] = [];
    let rest = text;
    for (let next = this.#find(rest); next !== undefined; next = this.#find(rest)) {
      const { at, display } = next;
      parts.push({ kind: "text", text: rest.slice(0, at).replace(/\n$/, "") }, display.part);
      rest = rest.slice(at + display.needle.length).replace(/^\n/, "");
      this.#rest = this.#rest.filter((other) => other !== display);
    }
    parts.push({ kind: "text", text: rest });
    return parts.filter((part) => part.kind !== "text" || part.text !== "");
  }

  /** The JSON values that no text had. */
  get restOfJson(): unknown[] {
    return this.#rest.flatMap(({ part }) => (part.kind === "json" ? [part.value] : []));
  }

  /** The display that comes first; a short number or word could be anything and must have its lines to itself. */
  #find(text: string): { at: number; display: Display } | undefined {
    const found = this.#rest.flatMap((display) => {
      const at = `\n${text}\n`.indexOf(`\n${display.needle}\n`);
      return at < 0 ? [] : [{ at, display }];
    });
    return found.toSorted((left, right) => left.at - right.at)[0];
  }
}
