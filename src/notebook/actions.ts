import { invalidInput } from "../errors.ts";
import { type CellAddress, cellIdAt, cellTypeAt, findCell, findInsertion } from "./address.ts";
import { clearOutputs, deleteCell, editSource, insertCell, moveCell, setCellType } from "./cell-edits.ts";
import { cellMembers, type NotebookDocument } from "./document.ts";
import { newCellId } from "./new-cell-id.ts";
import { cellIndexOutOfRange, contentRequired } from "./notebook-errors.ts";
import { type CellType, readSource, replaceOnce, splitSource } from "./source.ts";
import type { Replacement } from "./splice.ts";
import { unifiedDiff } from "./unified-diff.ts";

/** A change of a notebook, as its caller asks for it. */
export interface NotebookAction extends CellAddress {
  action: "edit" | "insert" | "delete" | "replace" | "move" | "set_type" | "clear_outputs";
  content?: string | undefined;
  cellType?: CellType | undefined;
  /** For `replace`: the text of the source that `content` takes the place of. */
  old?: string | undefined;
  /** For `move`: the index the cell will have. */
  toIndex?: number | undefined;
}

/** What an action does to a notebook: the bytes to replace (none: nothing changes), and the facts to report. */
export interface ActionOutcome {
  replacements: Replacement[];
  /** The cell's index after the action, before it for `delete`; null for an action on all cells. */
  cellIndex: number | null;
  cellId: string | null;
  cellType: string | null;
  totalCells: number;
  cellSource?: string[];
  /** The change of the cell's source as a unified diff. */
  diff?: string;
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
    const cell = describeCell(document, index);
    const replacements = editSource(document, index, content);
    const kept = action.cellType !== undefined && action.cellType !== cell.cellType;
    const typeNote = kept ? ` It stays a ${cell.cellType} cell; the action set_type changes that.` : "";
    const name = nameCell(document, index);
    const text = replacements.length > 0 ? `Edited ${name}.` : `Nothing to change: ${name} has this source already.`;
    return { ...cell, replacements, cellSource: splitSource(content), text: text + typeNote };
  },

  insert(document, action) {
    const index = findInsertion(document, action);
    const content = requireContent(action);
    const type = action.cellType ?? "code";
    const id = newCellId(document, index, content);
    return {
      replacements: insertCell(document, index, { type, content, id }),
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

  replace(document, action) {
    const index = findCell(document, action);
    const { old } = action;
    if (old === undefined) throw invalidInput('old is required for the action "replace"', "old");
    const before = sourceAt(document, index);
    const after = replaceOnce(before, old, requireContent(action));
    const replacements = editSource(document, index, after);
    return {
      ...describeCell(document, index),
      replacements,
      cellSource: splitSource(after),
      diff: unifiedDiff(splitSource(before), splitSource(after)),
      text: `Replaced text in ${nameCell(document, index)}.`,
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

  set_type(document, action) {
    const index = findCell(document, action);
    const type = action.cellType;
    if (type === undefined) throw invalidInput('cell_type is required for the action "set_type"', "cell_type");
    const { replacements, dropped } = setCellType(document, index, type);
    const drops = dropped.length === 0 ? "" : `, without its ${dropped.join(" and ")}`;
    const text = `Made ${nameCell(document, index)} a ${type} cell${drops}.`;
    return { ...describeCell(document, index), cellType: type, replacements, text };
  },

  clear_outputs(document, action) {
    const isOne = action.index !== undefined || action.id !== undefined;
    const indexes = isOne ? [findCell(document, action)] : [...document.cells.keys()];
    const edits = indexes.map((index) => clearOutputs(document, index));
    const count = edits.filter((edit) => edit.length > 0).length;
    const facts = isOne
      ? describeCell(document, indexes[0] as number)
      : { cellIndex: null, cellId: null, cellType: null, totalCells: document.cells.length };
    const text =
      count === 0 ? "No outputs to clear." : `Cleared the outputs of ${count} cell${count === 1 ? "" : "s"}.`;
    return { ...facts, replacements: edits.flat(), text };
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
