import { invalidInput } from "../errors.ts";
import { type CellAddress, cellIdAt, cellTypeAt, findCell, findInsertion } from "./address.ts";
import { deleteCell, editSource, insertCell, moveCell } from "./cell-edits.ts";
import { cellMembers, type NotebookDocument } from "./document.ts";
import { newCellId } from "./new-cell-id.ts";
import { cellIndexOutOfRange, contentRequired } from "./notebook-errors.ts";
import { type CellType, readSource, splitSource } from "./source.ts";
import type { Replacement } from "./splice.ts";

/** A change of a notebook, as its caller asks for it. */
export interface NotebookAction extends CellAddress {
  action: "edit" | "insert" | "delete" | "move";
  content?: string | undefined;
  cellType?: CellType | undefined;
  toIndex?: number | undefined;
}

/** What an action does to a notebook: the bytes to replace (none: nothing changes), and the facts to report. */
export interface ActionOutcome {
  replacements: Replacement[];
  /** The cell's index after the action, or before it for `delete`; null for an action on all cells. */
  cellIndex: number | null;
  cellId: string | null;
  cellType: string | null;
  totalCells: number;
  cellSource?: string[];
  /** One sentence for a reader. */
  text: string;
}

/** Works an action out against a notebook; it writes nothing. Throws the errors of addressing and of missing input. */
export function planAction(document: NotebookDocument, action: NotebookAction): ActionOutcome {
  return PLANS[action.action](document, action);
}

type Plan = (document: NotebookDocument, action: NotebookAction) => ActionOutcome;

const PLANS: Record<NotebookAction["action"], Plan> = {
  edit(document, action) {
    const index = findCell(document, action);
    const content = requireContent(action);
    const replacements = editSource(document, index, content);
    const text =
      replacements.length > 0
        ? `Edited ${nameCell(document, index)}.`
        : `${nameCell(document, index)} has this source already; nothing was written.`;
    return { ...describeCell(document, index), replacements, cellSource: splitSource(content), text };
  },

  insert(document, action) {
    const index = findInsertion(document, action);
    const content = requireContent(action);
    const type = action.cellType ?? "code";
    const id = newCellId(document, index, content);
    const replacements = insertCell(document, index, { type, content, id });
    return {
      replacements,
      cellIndex: index,
      cellId: id ?? null,
      cellType: type,
      totalCells: document.cells.length + 1,
      cellSource: splitSource(content),
      text: `Inserted a ${type} cell at index ${index}${id === undefined ? "" : ` (id ${id})`}.`,
    };
  },

  delete(document, action) {
    const index = findCell(document, action);
    return {
      ...describeCell(document, index),
      replacements: deleteCell(document, index),
      totalCells: document.cells.length - 1,
      cellSource: splitSource(sourceAt(document, index)),
      text: `Deleted ${nameCell(document, index)}.`,
    };
  },

  move(document, action) {
    const index = findCell(document, action);
    const to = action.toIndex;
    const last = document.cells.length - 1;
    if (to === undefined) throw invalidInput('to_index is required for the action "move"', "to_index");
    if (to < 0 || to > last) throw cellIndexOutOfRange(to, last, "to_index");
    const text = `Moved ${nameCell(document, index)} to index ${to}.`;
    return { ...describeCell(document, index), cellIndex: to, replacements: moveCell(document, index, to), text };
  },
};

function requireContent({ action, content }: NotebookAction): string {
  if (content === undefined) throw contentRequired(action);
  return content;
}

/** The facts of a cell as it stands. */
function describeCell(document: NotebookDocument, index: number) {
  return {
    cellIndex: index,
    cellId: cellIdAt(document, index) ?? null,
    cellType: cellTypeAt(document, index),
    totalCells: document.cells.length,
  };
}

function nameCell(document: NotebookDocument, index: number): string {
  const id = cellIdAt(document, index);
  return `${cellTypeAt(document, index) || "untyped"} cell ${index}${id === undefined ? "" : ` (id ${id})`}`;
}

function sourceAt(document: NotebookDocument, index: number): string {
  return readSource(document.bytes, cellMembers(document, index));
}
