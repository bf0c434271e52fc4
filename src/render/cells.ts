import type { SgrState } from "../output/sgr-state.ts";

/** What stands in one place of a terminal's row: a grapheme, the columns it takes, and the SGR sequence that it needs. */
export interface Cell {
  text: string;
  width: number;
  style: string;
}

const RESET = "\x1b[0m";
const TAB_STOP = 8;
const SGR = /\x1b\[([\d;:]*)m/g;
const GRAPHEMES = new Intl.Segmenter("en", { granularity: "grapheme" });

/** The cells of one line; tabs become spaces. `state` carries colours from line to line. Anything zero-width joins its neighbour. */
export function readCells(line: string, state: SgrState): Cell[] {
  const cells: Cell[] = [];
  let column = 0;
  let style = state.opening;
  const add = (text: string, width: number) => {
    const last = cells.at(-1);
    if (width === 0 && last !== undefined) last.text += text;
    else cells.push({ text, width, style });
    column += width;
  };
  const addText = (text: string) => {
    for (const grapheme of graphemesOf(text)) {
      if (grapheme !== "\t") add(grapheme, grapheme.length === 1 && grapheme < "\x7f" ? 1 : widthOf(grapheme));
      else for (let count = TAB_STOP - (column % TAB_STOP); count > 0; count--) add(" ", 1);
    }
  };
  let start = 0;
  for (const match of line.matchAll(SGR)) {
    addText(line.slice(start, match.index));
    state.apply(match[1] as string);
    style = state.opening;
    start = match.index + match[0].length;
  }
  addText(line.slice(start));
  return cells;
}

/** The text of cells, with each change of style written once and every style ended. */
export function joinCells(cells: readonly Cell[]): string {
  let text = "";
  let style = "";
  for (const cell of cells) {
    if (cell.style !== style) {
      text += style === "" ? cell.style : RESET + cell.style;
      style = cell.style;
    }
    text += cell.text;
  }
  return style === "" ? text : text + RESET;
}

/** Columns that a text takes on a terminal; colours take none, a tab is not resolved. */
export function widthOf(text: string): number {
  return Bun.stringWidth(text);
}

/** Runs of plain ASCII, whose characters are graphemes, and the rest with the character that it could join. */
const RUNS = /[\x09\x20-\x7e]+(?=[\x09\x20-\x7e]|$)|[\x09\x20-\x7e]?[^\x09\x20-\x7e]+/g;

function* graphemesOf(text: string): Iterable<string> {
  for (const [run] of text.matchAll(RUNS)) {
    if (run.charCodeAt(run.length - 1) < 0x7f) yield* run;
    else for (const found of GRAPHEMES.segment(run)) yield found.segment;
  }
}
