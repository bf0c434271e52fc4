import { SgrState } from "../output/sgr-state.ts";
import { joinCells, readCells } from "./cells.ts";
import { highlight } from "./highlight.ts";
import type { RenderContext } from "./renderer.ts";
import { pad, truncate, wrapColumns } from "./text.ts";

const PROMPT = "> ";
const CONTINUED = "· ";
const CURSOR = "\x1b[7m";
const MENU_ROWS = 8;

/** Code that is being written, with its cursor, which a terminal's own would only be near. */
export function renderInput(code: string, cursor: number, language: string, context: RenderContext): string[] {
  const { theme, width } = context;
  const before = code.slice(0, cursor).split("\n");
  const lines = highlight(code, language, theme).split("\n");
  const column = readCells(before.at(-1) ?? "", new SgrState()).length;
  return lines.flatMap((line, index) => {
    const shown = index === before.length - 1 ? withCursor(line, column) : line;
    const prompt = theme.style("accent", index === 0 ? PROMPT : CONTINUED);
    return wrapColumns(shown, width - PROMPT.length).map((row, part) => (part === 0 ? prompt + row : `  ${row}`));
  });
}

/** Names to choose from, in columns. */
export function renderMenu(names: readonly string[], { theme, width }: RenderContext): string[] {
  const column = Math.min(width, Math.max(...names.map((name) => Bun.stringWidth(name)), 1) + 2);
  const columns = Math.max(1, Math.floor(width / column));
  const shown = names.slice(0, columns * MENU_ROWS);
  const rows = Array.from({ length: Math.ceil(shown.length / columns) }, (_, row) =>
    shown.slice(row * columns, (row + 1) * columns).map((name) => pad(truncate(name, column - 1), column)),
  );
  const hidden = names.length - shown.length;
  return [
    ...rows.map((row) => theme.style("muted", row.join("").trimEnd())),
    ...(hidden > 0 ? [theme.style("muted", `… ${hidden} more`)] : []),
  ];
}

function withCursor(line: string, column: number): string {
  const cells = readCells(line, new SgrState());
  const under = cells[column] ?? { text: " ", width: 1, style: "" };
  return joinCells([...cells.slice(0, column), { ...under, style: under.style + CURSOR }, ...cells.slice(column + 1)]);
}
