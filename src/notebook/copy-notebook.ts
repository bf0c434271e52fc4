import { resolve } from "node:path";
import { errorCode } from "../errors.ts";
import { type ChangePlan, carryOut } from "./carry-out.ts";
import { lockNotebook, readDescriptor } from "./locked-file.ts";
import { createFile } from "./new-file.ts";
import { writeFailed, writeRefused } from "./notebook-errors.ts";
import { type ChangeOptions, checkRevision, checkWritable, readNotebook } from "./notebook-file.ts";
import { resolveNotebookPath } from "./notebook-path.ts";
import { replaceFile } from "./replace-file.ts";
import { revisionOf } from "./revision.ts";
import type { Replacement } from "./splice.ts";

/** The file was changed again and again while it was to be replaced. */
const ATTEMPTS = 5;

/**
 * Writes a notebook to another path, changed by plans as `changeNotebookInSteps` does it; the notebook itself stays. A file
 * that is there is replaced, whatever it holds, and keeps its mode. `ifRevision` is about the notebook that is copied.
 */
export async function copyNotebook<Planned extends { replacements: Replacement[] }>(
  options: ChangeOptions & { to: string },
  plans: readonly ChangePlan<Planned>[],
): Promise<{ steps: Planned[]; revision: string }> {
  const { path, cwd, to, ifRevision, review } = options;
  const { document } = await readNotebook(path, cwd);
  if (ifRevision !== undefined) checkRevision(document, path, ifRevision);
  const { steps, pieces } = carryOut(document, plans, path);
  const present = findFile(to, cwd);
  const target = present ?? resolve(cwd, to);
  const refusal = await review?.(target, () => Buffer.concat(pieces).toString("utf8"));
  if (refusal !== undefined) throw writeRefused(to, refusal);
  if (present !== undefined) await replaceWhole(present, options, pieces);
  else await createFile(target, to, Buffer.concat(pieces));
  return { steps, revision: revisionOf(pieces) };
}

async function replaceWhole(target: string, { to, force, signal }: ChangeOptions & { to: string }, pieces: Buffer[]) {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    using file = await lockNotebook(target, to, signal);
    if (!force) checkWritable(file, to);
    if (await replaceFile(file, await readDescriptor(file.descriptor), pieces)) return;
  }
  throw writeFailed(to, "another program keeps changing it");
}

/** The file that is to be replaced, if there is one. */
function findFile(path: string, cwd: string): string | undefined {
  try {
    return resolveNotebookPath(path, cwd);
  } catch (error) {
    if (errorCode(error) === "notebook_not_found") return undefined;
    throw error;
  }
}
