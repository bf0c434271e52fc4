import { planAction } from "../notebook/actions.ts";
import { type ChangePlan, carryOut } from "../notebook/carry-out.ts";
import { copyNotebook } from "../notebook/copy-notebook.ts";
import { changeNotebookInSteps, checkRevision, checkWritableLater, readNotebook } from "../notebook/notebook-file.ts";
import { type ParameterCell, planParameterCell } from "../notebook/parameter-cell.ts";
import { type NotebookCell, type NotebookContents, readContents } from "../notebook/read-cells.ts";
import type { Replacement } from "../notebook/splice.ts";
import type { EditDetails, NotebookRequest } from "./notebook-model.ts";
import { parameterSource } from "./parameter-source.ts";
import type { RunHistory } from "./run-history.ts";
import { selectCells } from "./select-cells.ts";

/** A notebook that is ready to run. */
export interface PreparedNotebook {
  /** As the file is now. */
  contents: NotebookContents;
  /** The code cells to run. */
  cells: NotebookCell[];
  edits: EditDetails[];
  /** A sentence on each thing that was done to it. */
  notes: string[];
}

/** What is needed beside the request: the notebook's language where there are parameters, and which of its cells ran. */
export interface Preparation {
  request: NotebookRequest;
  language: string;
  history: RunHistory;
}

/** Says what preparing would give, and throws what it would throw; the file stays. */
export async function tryPreparation(preparation: Preparation): Promise<PreparedNotebook> {
  const { path, cwd, force, saveAs, ifRevision } = preparation.request;
  if (!force && saveAs === undefined) checkWritableLater(path, cwd);
  const { document } = await readNotebook(path, cwd);
  if (ifRevision !== undefined) checkRevision(document, path, ifRevision);
  return conclude(carryOut(document, plansOf(preparation), path).steps);
}

/** Edits the notebook, sets its parameters and chooses the cells, all under one lock: it happens as a whole or not at all. */
export async function prepareNotebook(preparation: Preparation): Promise<PreparedNotebook> {
  const { request } = preparation;
  const { path, cwd, force, review, ifRevision, saveAs } = request;
  const options = { path, cwd, force, review, ifRevision };
  const plans = plansOf(preparation);
  const { steps } =
    saveAs === undefined
      ? await changeNotebookInSteps(options, plans)
      : await copyNotebook({ ...options, to: saveAs }, plans);
  return conclude(steps);
}

interface Step {
  replacements: Replacement[];
  edit?: { details: EditDetails; text: string };
  chosen?: NotebookCell[];
  parameters?: ParameterCell;
  contents?: NotebookContents;
}

/** A selection is about the notebook as the caller knows it: after the edits, before a cell with parameters is put in. */
function plansOf({ request, language, history }: Preparation): ChangePlan<Step>[] {
  const { edits = [], parameters, cells } = request;
  return [
    ...edits.map(
      (action, place): ChangePlan<Step> =>
        (document) => {
          const { replacements, text, ...facts } = namingEdit(place, () => planAction(document, action));
          return { replacements, edit: { details: { action: action.action, ...facts }, text } };
        },
    ),
    (document) => ({ replacements: [], chosen: selectCells(readContents(document).cells, cells, history) }),
    ...(parameters === undefined ? [] : [planParameters(parameterSource(parameters, language))]),
    (document) => ({ replacements: [], contents: readContents(document) }),
  ];
}

/** What is wrong with one of the edits says with which. */
function namingEdit<Plan>(place: number, plan: () => Plan): Plan {
  try {
    return plan();
  } catch (error) {
    if (error instanceof Error) error.message = `edit[${place}]: ${error.message}`;
    throw error;
  }
}

function planParameters(source: string): ChangePlan<Step> {
  return (document) => {
    const parameters = planParameterCell(document, source);
    return { replacements: parameters.replacements, parameters };
  };
}

/** The cell with the parameters runs whatever else was chosen. */
function conclude(steps: readonly Step[]): PreparedNotebook {
  const find = <Name extends keyof Step>(name: Name) => steps.find((step) => step[name] !== undefined)?.[name];
  const contents = find("contents") as NotebookContents;
  const parameters = find("parameters");
  const shift = (index: number) => (parameters?.inserted && index >= parameters.cellIndex ? index + 1 : index);
  const chosen = new Set((find("chosen") as NotebookCell[]).map(({ index }) => shift(index)));
  if (parameters !== undefined) chosen.add(parameters.cellIndex);
  const edits = steps.flatMap((step) => step.edit ?? []);
  return {
    contents,
    cells: contents.cells.filter((cell) => chosen.has(cell.index)),
    edits: edits.map(({ details }) => details),
    notes: [...edits.map(({ text }) => text), ...(parameters === undefined ? [] : [tell(parameters)])],
  };
}

function tell({ inserted, cellIndex, hasDefaults }: ParameterCell): string {
  const why = hasDefaults ? "" : "; no cell has the tag parameters, so that it stands first";
  return inserted
    ? `Put the parameters into a new cell ${cellIndex}${why}.`
    : `Set the parameters in cell ${cellIndex}.`;
}
