import type { OutputSummary } from "../execute/notebook-model.ts";
import { indexesOfId } from "../notebook/address.ts";
import { readNotebook } from "../notebook/notebook-file.ts";
import { readOutputs } from "../notebook/read-cells.ts";
import type { ProgressCell } from "./run-progress.ts";

/** The outputs of a cell that ran, in nbformat's form: from the run itself where they are plain text, else from the file. */
export async function readRunOutputs(file: string, cell: ProgressCell): Promise<readonly unknown[]> {
  const told = cell.outputs.map((output) => plainOutput(output, cell));
  if (!cell.saved || told.every((output) => output !== undefined)) return told.filter((output) => output !== undefined);
  try {
    const { document } = await readNotebook(file, "/");
    const found = cell.id === null ? [cell.index] : indexesOfId(document, cell.id);
    return readOutputs(document, found.includes(cell.index) ? cell.index : (found[0] ?? cell.index));
  } catch {
    return told.filter((output) => output !== undefined);
  }
}

/** An output of which the run has told everything; undefined for any other. */
function plainOutput({ type, name, mimeTypes, text, truncated }: OutputSummary, { error }: ProgressCell) {
  if (truncated) return undefined;
  if (type === "stream") return { output_type: type, name, text };
  if (type === "error" && error !== null) {
    return { output_type: type, ename: error.name, evalue: error.value, traceback: error.traceback };
  }
  if (mimeTypes?.join() !== "text/plain" || text === undefined) return undefined;
  return { output_type: "display_data", data: { "text/plain": text }, metadata: {} };
}
