import fc from "fast-check";

/** How a random notebook is written down: every habit of a JSON writer that a file may show. */
export interface Habits {
  newline: "\n" | "\r\n";
  indent: string;
  colon: string;
  /** Lists of source lines on one line. */
  inlineSources: boolean;
  inlineMetadata: boolean;
  escapes: "none" | "all";
  mark: boolean;
  ending: string;
  emptyArray: string;
}

/** A cell before it is written; `raw` members are JSON texts that are kept as they are. */
export interface CellModel {
  type: string;
  id: string | undefined;
  source: string[] | string;
  order: string[];
  metadata: string;
  outputs: string[];
  duplicateSource: boolean;
}

/** A notebook's text, and where in it each cell and each cell's source that counts stands (UTF-16 units). */
export interface WrittenNotebook {
  text: string;
  cells: { start: number; end: number; source: { start: number; end: number } }[];
}

const text = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.constantFrom(
    "",
    "print(1)",
    "é",
    "漢字 😀",
    "\ud800",
    "a\fb\u2028c\x85d",
    "tab\there",
    'quote " and \\ slash',
    "\r",
    "x\r",
  ),
);

/** The text of a source: lines with `\n` between them, some with odd separators. */
export const sourceText = fc.array(text, { maxLength: 5 }).map((lines) => lines.join("\n"));

const metadataToken = fc.constantFrom(
  "{}",
  '{"a": 1.0, "b": 1e-07, "c": -0, "d": 12345678901234567890, "e": 1E5}',
  '{"tags": ["x","y"], "u": "\\u00e9\\u0041\\/", "lone": "\\ud800"}',
  '{"k": 1, "k": 2}',
  '{"cells": [], "source": ["no"], "id": "no", "deep": [[[[{"a": [ ]}]]]]}',
);

const outputToken = fc.constantFrom(
  '{"name": "stdout", "output_type": "stream", "text": ["a\\n", "b"]}',
  '{"data": {"image/png": "iVBORw0KGgo=", "text/plain": ["<Figure size 1.0e2>"]}, "metadata": {}, "output_type": "display_data"}',
  `{"output_type": "stream", "name": "stderr", "text": "${"long text ".repeat(20)}\\u0000\\n"}`,
);

const KEYS = ["cell_type", "execution_count", "id", "metadata", "outputs", "source"];

export const cellModel: fc.Arbitrary<CellModel> = fc.record({
  type: fc.constantFrom("code", "code", "markdown", "raw"),
  id: fc.option(fc.stringMatching(/^[a-z0-9-]{1,8}$/), { nil: undefined }),
  source: fc.oneof(
    sourceText.map(splitLines),
    sourceText.map(splitLines),
    sourceText,
    fc.array(text, { maxLength: 3 }),
  ),
  order: fc.shuffledSubarray(KEYS, { minLength: KEYS.length, maxLength: KEYS.length }),
  metadata: metadataToken,
  outputs: fc.array(outputToken, { maxLength: 2 }),
  duplicateSource: fc.boolean(),
});

export const habits: fc.Arbitrary<Habits> = fc.record({
  newline: fc.constantFrom("\n", "\n", "\r\n"),
  indent: fc.constantFrom("", " ", " ", "  ", "    ", "\t"),
  colon: fc.constantFrom(": ", ": ", ":", " : "),
  inlineSources: fc.boolean(),
  inlineMetadata: fc.boolean(),
  escapes: fc.constantFrom("none", "none", "all"),
  mark: fc.boolean(),
  ending: fc.constantFrom("", "\n", "\r\n", "\n\n"),
  emptyArray: fc.constantFrom("[]", "[]", "[ ]", "[\n ]"),
});

/** Splits after each `\n`, as nbformat does. */
export function splitLines(source: string): string[] {
  return source.split(/(?<=\n)/).filter((line) => line !== "");
}

/** Writes a notebook down. */
export function writeNotebook(cells: readonly CellModel[], minor: number, habit: Habits): WrittenNotebook {
  const writer = new Writer(habit);
  writer.put(habit.mark ? "\ufeff" : "");
  const members: [string, () => void][] = [
    [
      "cells",
      () =>
        writer.list(
          cells.map((cell) => () => writer.cell(cell, minor)),
          1,
          habit.emptyArray,
        ),
    ],
    ["metadata", () => writer.put('{"kernelspec": {"name": "python3", "display_name": "P\\u00e9"}, "x": 1.50}')],
    ["nbformat", () => writer.put("4")],
    ["nbformat_minor", () => writer.put(String(minor))],
  ];
  writer.object(members, 0);
  writer.put(habit.ending);
  return { text: writer.text, cells: writer.cells };
}

class Writer {
  text = "";
  cells: WrittenNotebook["cells"] = [];

  constructor(private readonly habit: Habits) {}

  put(token: string): void {
    this.text += token;
  }

  string(value: string): void {
    const token = JSON.stringify(value);
    const escaped = token.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
    this.put(this.habit.escapes === "all" ? escaped : token);
  }

  object(members: [string, () => void][], depth: number): void {
    this.bracketed(
      "{}",
      members.map(
        ([name, value]) =>
          () =>
            this.member(name, value),
      ),
      depth,
    );
  }

  list(items: (() => void)[], depth: number, empty = "[]"): void {
    if (items.length === 0) this.put(empty);
    else this.bracketed("[]", items, depth);
  }

  cell(cell: CellModel, minor: number): void {
    const start = this.text.length;
    let source = { start: 0, end: 0 };
    const isCode = cell.type === "code";
    const values: Record<string, () => void> = {
      cell_type: () => this.string(cell.type),
      metadata: () =>
        this.put(this.habit.inlineMetadata ? cell.metadata : cell.metadata.replaceAll(", ", `,${this.habit.newline}`)),
      source: () => {
        const from = this.text.length;
        this.source(cell.source);
        source = { start: from, end: this.text.length };
      },
      ...(cell.id !== undefined && minor >= 5 ? { id: () => this.string(cell.id as string) } : {}),
      ...(isCode
        ? {
            execution_count: () => this.put("null"),
            outputs: () =>
              this.list(
                cell.outputs.map((token) => () => this.put(token)),
                3,
              ),
          }
        : {}),
    };
    const names = cell.order.filter((name) => name in values);
    if (cell.duplicateSource) names.unshift("source");
    this.object(
      names.map((name) => [name, values[name] as () => void]),
      2,
    );
    this.cells.push({ start, end: this.text.length, source });
  }

  private source(source: string[] | string): void {
    if (typeof source === "string") {
      this.string(source);
    } else if (source.length === 0 || !this.habit.inlineSources) {
      const items = source.map((line) => () => this.string(line));
      this.list(items, 3);
    } else {
      this.put("[");
      for (const [index, line] of source.entries()) {
        this.put(index === 0 ? "" : this.habit.colon.endsWith(" ") ? ", " : ",");
        this.string(line);
      }
      this.put("]");
    }
  }

  private member(name: string, value: () => void): void {
    this.put(`"${name}"${this.habit.colon}`);
    value();
  }

  private bracketed(brackets: string, items: (() => void)[], depth: number): void {
    const { newline, indent } = this.habit;
    this.put(brackets[0] as string);
    for (const [index, item] of items.entries()) {
      this.put(`${index === 0 ? "" : ","}${newline}${indent.repeat(depth + 1)}`);
      item();
    }
    this.put(`${newline}${indent.repeat(depth)}${brackets[1]}`);
  }
}
