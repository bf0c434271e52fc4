import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { NotebookAction } from "../../src/notebook/actions.ts";
import { type ChangePlan, carryOut } from "../../src/notebook/carry-out.ts";
import { planOutputs } from "../../src/notebook/cell-outputs.ts";
import { parseNotebook } from "../../src/notebook/document.ts";
import type { Replacement } from "../../src/notebook/splice.ts";
import { applyAction } from "./apply.ts";
import { cellModel, habits, sourceText, splitLines, type WrittenNotebook, writeNotebook } from "./random-notebook.ts";

const RUNS = { numRuns: 1500 };

interface Cell {
  cell_type: string;
  source: string[] | string;
  [name: string]: unknown;
}

const notebook = fc
  .tuple(fc.array(cellModel, { maxLength: 4 }), fc.constantFrom(4, 5), habits)
  .map(([cells, minor, habit]) => ({ written: writeNotebook(uniqueIds(cells), minor, habit), minor }));

const filled = notebook.filter(({ written }) => written.cells.length > 0);

/** Ids are made unique; that two cells share one is another test's matter. */
function uniqueIds<T extends { id: string | undefined }>(cells: T[]): T[] {
  return cells.map((cell, index) => (cell.id === undefined ? cell : { ...cell, id: `${cell.id}${index}` }));
}

function apply(text: string, action: NotebookAction) {
  const { bytes, outcome } = applyAction(Buffer.from(text), action);
  return { text: bytes.toString(), outcome };
}

function plan<Planned extends { replacements: Replacement[] }>(text: string, make: ChangePlan<Planned>) {
  const { steps, pieces } = carryOut(parseNotebook(Buffer.from(text), "n.ipynb"), [make], "n.ipynb");
  return { text: Buffer.concat(pieces).toString(), outcome: steps[0] as Planned };
}

function cellsOf(text: string): Cell[] {
  return (JSON.parse(text.replace(/^\ufeff/, "")) as { cells: Cell[] }).cells;
}

function withoutCells(text: string): unknown {
  return { ...(JSON.parse(text.replace(/^\ufeff/, "")) as object), cells: undefined };
}

function textOf(source: string[] | string): string {
  return typeof source === "string" ? source : source.join("");
}

/**
 * Whether the file without a cell's source still shows how that source was spelled. With nothing but ASCII and escapes
 * around, a source that was not escaped looks like a mistake; and a list that has become empty has no layout of its own.
 */
function showsSpelling({ text, cells }: WrittenNotebook, index: number): boolean {
  const { start, end } = (cells[index] as WrittenNotebook["cells"][number]).source;
  const isPlain = (part: string) => /^\ufeff?[\0-\x7f]*$/.test(part);
  const rest = text.slice(0, start) + text.slice(end);
  const escapes = isPlain(rest) && /\\u(?!00[0-7]|d[89a-f])/.test(rest);
  const source = text.slice(start, end);
  return isPlain(source) ? escapes || !/\\u(?!00[0-7]|d[c-f])/.test(source) : !escapes;
}

/** A cell's text in the file, by the writer that made it. */
function cellText({ text, cells }: WrittenNotebook, index: number): string {
  const { start, end } = cells[index] as { start: number; end: number };
  return text.slice(start, end);
}

describe("for any notebook in any layout", () => {
  test("edit changes the source that counts and no byte beside it", () => {
    fc.assert(
      fc.property(filled, fc.nat(), sourceText, ({ written }, seed, content) => {
        const index = seed % written.cells.length;
        const { source } = written.cells[index] as WrittenNotebook["cells"][number];
        const before = cellsOf(written.text);
        const { text } = apply(written.text, { action: "edit", index, content });
        const isSame = textOf((before[index] as Cell).source) === content;
        if (isSame) return expect(text).toBe(written.text);
        expect(text.startsWith(written.text.slice(0, source.start))).toBe(true);
        expect(text.endsWith(written.text.slice(source.end))).toBe(true);
        const expected = before.map((cell, at) => (at === index ? { ...cell, source: splitLines(content) } : cell));
        expect(cellsOf(text)).toEqual(expected);
        expect(withoutCells(text)).toEqual(withoutCells(written.text));
      }),
      RUNS,
    );
  });

  test("insert adds one cell, keeps the bytes of the others, and deleting it again gives the same file", () => {
    const type = fc.constantFrom("code" as const, "markdown" as const, "raw" as const);
    fc.assert(
      fc.property(notebook, fc.nat(), sourceText, type, ({ written, minor }, seed, content, cellType) => {
        const index = seed % (written.cells.length + 1);
        const { text, outcome } = apply(written.text, { action: "insert", index, content, cellType });
        const inserted = cellsOf(text)[index] as Cell;
        const members = cellType === "code" ? { execution_count: null, outputs: [] } : {};
        const id = minor >= 5 ? { id: outcome.cellId } : {};
        expect(inserted).toEqual({ cell_type: cellType, metadata: {}, source: splitLines(content), ...id, ...members });
        expect(cellsOf(text).toSpliced(index, 1)).toEqual(cellsOf(written.text));
        for (const at of written.cells.keys()) expect(text.includes(cellText(written, at))).toBe(true);
        expect(apply(text, { action: "delete", index }).text).toBe(written.text);
      }),
      RUNS,
    );
  });

  test("move changes the order of the cells alone, and moving back gives the same file", () => {
    fc.assert(
      fc.property(filled, fc.nat(), fc.nat(), ({ written }, from, to) => {
        const count = written.cells.length;
        const [index, toIndex] = [from % count, to % count];
        const { text } = apply(written.text, { action: "move", index, toIndex });
        const expected = cellsOf(written.text);
        expected.splice(toIndex, 0, ...expected.splice(index, 1));
        expect(cellsOf(text)).toEqual(expected);
        expect(text.length).toBe(written.text.length);
        expect(apply(text, { action: "move", index: toIndex, toIndex: index }).text).toBe(written.text);
      }),
      RUNS,
    );
  });

  test("delete, set_type and clear_outputs do what a plain model does", () => {
    const actions = fc.constantFrom("delete" as const, "set_type" as const, "clear_outputs" as const);
    const types = fc.constantFrom("code" as const, "markdown" as const, "raw" as const);
    fc.assert(
      fc.property(filled, fc.nat(), actions, types, ({ written }, seed, action, cellType) => {
        const index = seed % written.cells.length;
        const { text } = apply(written.text, { action, index, cellType });
        const before = cellsOf(written.text);
        expect(cellsOf(text)).toEqual(modelOf(before, index, action, cellType));
        for (const at of written.cells.keys()) {
          if (at !== index) expect(text.includes(cellText(written, at))).toBe(true);
        }
        expect(withoutCells(text)).toEqual(withoutCells(written.text));
      }),
      RUNS,
    );
  });

  test("outputs written into cells are there, and every byte outside those cells is what it was", () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    const output = fc.record({
      output_type: fc.constant("display_data"),
      data: fc.dictionary(fc.constantFrom("a/b", "c+json"), value),
    });
    fc.assert(
      fc.property(filled, fc.nat(), fc.array(output, { maxLength: 3 }), value, ({ written }, seed, outputs, times) => {
        const index = seed % written.cells.length;
        const before = cellsOf(written.text);
        fc.pre(before[index]?.cell_type === "code");
        const source = textOf((before[index] as Cell).source);
        const run = {
          index,
          id: before[index]?.id as string | undefined,
          source,
          outputs,
          executionCount: seed,
          metadata: { times },
        };
        const { text, outcome } = plan(written.text, (document) => planOutputs(document, [run]));
        expect(outcome.written).toEqual([index]);
        const stored = JSON.parse(JSON.stringify({ outputs, times }));
        const metadata = { ...(before[index]?.metadata as object), times: stored.times };
        const expected = { ...before[index], outputs: stored.outputs, execution_count: seed, metadata } as Cell;
        expect(cellsOf(text)).toEqual(before.with(index, expected));
        const { start, end } = written.cells[index] as { start: number; end: number };
        expect(text.startsWith(written.text.slice(0, start))).toBe(true);
        expect(text.endsWith(written.text.slice(end))).toBe(true);
      }),
      RUNS,
    );
  });

  test("what JSON.stringify wrote stays exactly in its form", () => {
    const actions = fc.constantFrom(
      "edit" as const,
      "insert" as const,
      "delete" as const,
      "move" as const,
      "set_type" as const,
    );
    fc.assert(
      fc.property(
        filled,
        fc.nat(),
        actions,
        sourceText,
        fc.constantFrom("", "\n"),
        ({ written }, seed, action, content, end) => {
          const value = JSON.parse(written.text.replace(/^\ufeff/, ""));
          const canonical = JSON.stringify(value, null, 1) + end;
          const index = seed % written.cells.length;
          const toIndex = (seed >> 3) % written.cells.length;
          const { text } = apply(canonical, { action, index, content, toIndex, cellType: "markdown" });
          expect(text).toBe(JSON.stringify(JSON.parse(text), null, 1) + end);
        },
      ),
      RUNS,
    );
  });

  test("an edit and its inverse give the same file where the source was split as nbformat splits it", () => {
    fc.assert(
      fc.property(filled, fc.nat(), sourceText, ({ written }, seed, content) => {
        const index = seed % written.cells.length;
        const old = (cellsOf(written.text)[index] as Cell).source;
        fc.pre(Array.isArray(old) && JSON.stringify(splitLines(old.join(""))) === JSON.stringify(old));
        fc.pre(content !== "" && old.length > 0 && showsSpelling(written, index));
        const { text } = apply(written.text, { action: "edit", index, content });
        expect(apply(text, { action: "edit", index, content: old.join("") }).text).toBe(written.text);
      }),
      RUNS,
    );
  });

  test("a notebook on one line is laid out, its tokens unchanged", () => {
    fc.assert(
      fc.property(filled, fc.nat(), sourceText, ({ written }, seed, content) => {
        const value = JSON.parse(written.text.replace(/^\ufeff/, "")) as object;
        const oneLine = `${JSON.stringify(value)}\n`;
        const index = seed % written.cells.length;
        const { text } = apply(oneLine, { action: "insert", index, content });
        expect(text).toBe(`${JSON.stringify(JSON.parse(text), null, 1)}\n`);
        expect(cellsOf(text).toSpliced(index, 1)).toEqual(cellsOf(oneLine));
      }),
      { numRuns: 500 },
    );
  });
});

/** What each action is, on a parsed notebook. */
function modelOf(cells: Cell[], index: number, action: "delete" | "set_type" | "clear_outputs", type: string): Cell[] {
  if (action === "delete") return cells.toSpliced(index, 1);
  const { outputs, execution_count, ...rest } = cells[index] as Cell;
  const isCode = (cells[index] as Cell).cell_type === "code";
  const cleared = { ...rest, outputs: [], execution_count: null };
  const changed =
    action === "clear_outputs"
      ? isCode
        ? cleared
        : rest
      : type === "code"
        ? { ...rest, cell_type: type, outputs: outputs ?? [], execution_count: execution_count ?? null }
        : { ...rest, cell_type: type };
  return cells.with(index, changed as Cell);
}
