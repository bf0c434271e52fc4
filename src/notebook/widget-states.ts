import { cellTypeAt } from "./address.ts";
import type { NotebookDocument, Span } from "./document.ts";
import { readMetadata, readOutputs } from "./read-cells.ts";
import { setNotebookMetadata } from "./set-metadata.ts";
import type { Replacement } from "./splice.ts";

/** Models of Jupyter widgets by their id, each as its state is stored in a notebook. */
export type WidgetStates = Record<string, unknown>;

const STATE = "application/vnd.jupyter.widget-state+json";
const VIEW = "application/vnd.jupyter.widget-view+json";
const REFERENCE = /"IPY_MODEL_([^"]+)"/g;

/**
 * Stores the states of a run's widgets in the notebook's metadata (Jupyter Widgets, "Widget state in notebook metadata",
 * version 2). Of what was stored before, only models that an output of another cell than `written` shows are kept.
 */
export function planWidgetStates(
  document: NotebookDocument,
  states: WidgetStates,
  written: readonly number[],
): Replacement[] {
  const widgets = asObject(readMetadata(document).widgets);
  const stored = asObject(widgets[STATE]);
  const kept = keptStates(asObject(stored.state), shownModels(document, written));
  const state = { ...kept, ...states };
  if (Bun.deepEquals(state, stored.state)) return [];
  const all = { ...widgets, [STATE]: { state, version_major: 2, version_minor: 0 } };
  return setNotebookMetadata(document, { widgets: all });
}

/** The models that outputs of all cells but those show. */
function shownModels(document: NotebookDocument, written: readonly number[]): Set<string> {
  const models = new Set<string>();
  for (const [index, cell] of document.cells.entries()) {
    if (written.includes(index) || cellTypeAt(document, index) !== "code" || !holds(document, cell, VIEW)) continue;
    for (const output of readOutputs(document, index)) {
      const id = asObject(asObject(asObject(output).data)[VIEW]).model_id;
      if (typeof id === "string") models.add(id);
    }
  }
  return models;
}

/** A model that is shown is kept with all models that it is made of. */
function keptStates(states: WidgetStates, shown: Set<string>): WidgetStates {
  const kept: WidgetStates = {};
  const wanted = [...shown];
  for (let id = wanted.pop(); id !== undefined; id = wanted.pop()) {
    if (id in kept || !(id in states)) continue;
    kept[id] = states[id];
    for (const [, reference] of JSON.stringify(states[id]).matchAll(REFERENCE)) wanted.push(reference as string);
  }
  return kept;
}

function holds({ bytes }: NotebookDocument, { start, end }: Span, text: string): boolean {
  return bytes.subarray(start, end).includes(text);
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
