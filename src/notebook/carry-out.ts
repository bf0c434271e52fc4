import { type NotebookDocument, parseNotebook } from "./document.ts";
import { isOneLine } from "./layout.ts";
import { layOutOneLine } from "./one-line.ts";
import { changesBytes, type Replacement, splice } from "./splice.ts";

/** Works a change out: it must only compute, and is asked again if the file has changed before it could be written. */
export type ChangePlan<Planned extends { replacements: Replacement[] }> = (document: NotebookDocument) => Planned;

/**
 * Carries plans out in memory, each on what the one before has left. The pieces are the document's own bytes if nothing
 * changes; a one-line notebook is laid out on a change.
 */
export function carryOut<Planned extends { replacements: Replacement[] }>(
  original: NotebookDocument,
  plans: readonly ChangePlan<Planned>[],
  path: string,
): { steps: Planned[]; pieces: Buffer[] } {
  let document = original;
  let pieces = [document.bytes];
  const steps: Planned[] = [];
  for (const plan of plans) {
    if (pieces[0] !== document.bytes || pieces.length > 1) {
      document = parseNotebook(Buffer.concat(pieces), path);
      pieces = [document.bytes];
    }
    let planned = plan(document);
    if (changesBytes(document.bytes, planned.replacements)) {
      if (isOneLine(document)) {
        document = parseNotebook(layOutOneLine(document), path);
        planned = plan(document);
      }
      pieces = splice(document.bytes, planned.replacements);
    }
    steps.push(planned);
  }
  return { steps, pieces };
}
