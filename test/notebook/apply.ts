import { type ActionOutcome, type NotebookAction, planAction } from "../../src/notebook/actions.ts";
import { carryOut } from "../../src/notebook/carry-out.ts";
import { parseNotebook } from "../../src/notebook/document.ts";

/** Carries an action out on a notebook's bytes, in memory. */
export function applyAction(bytes: Buffer, action: NotebookAction): { bytes: Buffer; outcome: ActionOutcome } {
  const { steps, pieces } = carryOut(
    parseNotebook(bytes, "n.ipynb"),
    [(document) => planAction(document, action)],
    "n.ipynb",
  );
  return { bytes: Buffer.concat(pieces), outcome: steps[0] as ActionOutcome };
}
