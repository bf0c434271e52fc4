/** A cell of a script in the percent format. */
export interface ScriptCell {
  code: string;
  title?: string;
}

/** A line that starts a cell: `# %%`, a title, a type in brackets, as in Spyder, VS Code and Jupytext. */
const MARK = /^#\s*%%+\s*(.*?)\s*$/;

/**
 * Splits a script at its `# %%` marks. Cells of another type (`[markdown]`, `[raw]`) and cells without code are left out; a
 * script without marks is one cell. The line of a mark belongs to no cell.
 */
export function splitPercentScript(text: string): ScriptCell[] {
  const cells: (ScriptCell & { skipped: boolean })[] = [{ code: "", skipped: false }];
  for (const line of text.replace(/^\uFEFF/, "").split(/(?<=\n)/)) {
    const mark = MARK.exec(line);
    if (mark) cells.push(startCell(mark[1] as string));
    else (cells.at(-1) as ScriptCell).code += line;
  }
  return cells
    .filter((cell) => !cell.skipped && cell.code.trim() !== "")
    .map(({ code, title }) => ({ code: code.replace(/[\r\n]+$/, ""), ...(title ? { title } : {}) }));
}

function startCell(rest: string): ScriptCell & { skipped: boolean } {
  const type = /\[(\w+)\]/.exec(rest)?.[1];
  const title = rest.replace(/\[\w+\].*$/, "").trim();
  return { code: "", skipped: type !== undefined && type !== "code", title };
}
