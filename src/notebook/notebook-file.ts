import { accessSync, closeSync, constants, fsyncSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { type ChangePlan, carryOut } from "./carry-out.ts";
import { type NotebookDocument, parseNotebook } from "./document.ts";
import { syncFolder } from "./file-writing.ts";
import { type LockedFile, lockNotebook, openForReading, readDescriptor } from "./locked-file.ts";
import { revisionMismatch, writeFailed, writeRefused } from "./notebook-errors.ts";
import { resolveNotebookPath } from "./notebook-path.ts";
import { replaceFile } from "./replace-file.ts";
import { revisionOf } from "./revision.ts";
import { findSafetyCopy, restoreSafetyCopy } from "./safety-copy.ts";
import type { Replacement } from "./splice.ts";

/** A change of a notebook: where it is, and what must hold for it. */
export interface ChangeOptions {
  /** As the caller wrote it; relative to `cwd`. */
  path: string;
  cwd: string;
  /** Refuse the change if the file's revision is another one. */
  ifRevision?: string | undefined;
  /** Write a file that is marked read-only. */
  force?: boolean | undefined;
  /** Write nothing, and give the file's change as a diff. */
  dryRun?: boolean | undefined;
  /** Is asked before a write. */
  review?: NotebookReview | undefined;
  /** Wait until the change is on the disk (default true). */
  sync?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/** May keep a notebook from being written: gives the reason, or undefined to let it. `content` is the whole new text. */
export type NotebookReview = (path: string, content: () => string) => Promise<string | undefined>;

/** The file was changed again and again by a writer that takes no lock; giving up is better than going on for ever. */
const ATTEMPTS = 5;

/** Reads and parses a notebook; `path` is relative to `cwd`. */
export async function readNotebook(
  path: string,
  cwd: string,
): Promise<{ document: NotebookDocument; revision: string }> {
  const real = resolveNotebookPath(path, cwd);
  try {
    return await readParsed(real, path);
  } catch (error) {
    // Somebody is writing it in place, or was killed while at it.
    if (findSafetyCopy(real) === undefined) throw error;
    using file = await lockNotebook(real, path);
    await recover(file);
    return await readParsed(real, path);
  }
}

/** A plan that was carried out, with the file's new revision; of a dry run, the change as a unified diff of the file. */
export type Changed<Planned> = Planned & { revision: string; diff?: string };

/**
 * Changes a notebook, locked against every other writer. A plan without replacements leaves the file untouched. Throws what
 * the plan throws, and the errors of reading, locking and writing; the file is then what it was.
 */
export async function changeNotebook<Planned extends { replacements: Replacement[] }>(
  options: ChangeOptions,
  plan: ChangePlan<Planned>,
): Promise<Changed<Planned>> {
  const { steps, ...written } = await changeNotebookInSteps(options, [plan]);
  return { ...(steps[0] as Planned), ...written };
}

/** Changes a notebook by several plans, each worked out on what the one before has left, and writes it once. */
export async function changeNotebookInSteps<Planned extends { replacements: Replacement[] }>(
  options: ChangeOptions,
  plans: readonly ChangePlan<Planned>[],
): Promise<Changed<{ steps: Planned[] }>> {
  const path = resolveNotebookPath(options.path, options.cwd);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    using file = await lockNotebook(path, options.path, options.signal);
    await recover(file);
    const changed = await changeLocked(file, options, plans);
    if (changed !== undefined) return changed;
  }
  throw writeFailed(options.path, "another program keeps changing it");
}

/** Waits until what was written without `sync` is on the disk. */
export function syncNotebook(path: string, cwd: string): void {
  const real = resolveNotebookPath(path, cwd);
  const descriptor = openForReading(real, path);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  syncFolder(dirname(real));
}

async function changeLocked<Planned extends { replacements: Replacement[] }>(
  file: LockedFile,
  { path, ifRevision, force, dryRun, review, sync }: ChangeOptions,
  plans: readonly ChangePlan<Planned>[],
): Promise<Changed<{ steps: Planned[] }> | undefined> {
  const bytes = await readDescriptor(file.descriptor);
  const document = parseNotebook(bytes, path);
  if (ifRevision !== undefined) checkRevision(document, path, ifRevision);
  const { steps, pieces } = carryOut(document, plans, path);
  if (dryRun) return { steps, revision: revisionOf([bytes]), diff: await diffOf(bytes, pieces, path) };
  if (pieces.length === 1 && pieces[0] === bytes) return { steps, revision: revisionOf(pieces) };
  if (!force) checkWritable(file, path);
  const refusal = await review?.(file.path, () => Buffer.concat(pieces).toString("utf8"));
  if (refusal !== undefined) throw writeRefused(path, refusal);
  const [written, revision] = await Promise.all([replaceFile(file, bytes, pieces, sync), revisionOf(pieces)]);
  return written ? { steps, revision } : undefined;
}

async function diffOf(before: Buffer, after: readonly Buffer[], path: string): Promise<string> {
  const { unifiedDiff } = await import("./unified-diff.ts");
  const lines = (text: string) => text.split(/(?<=\n)/);
  return unifiedDiff(lines(before.toString()), lines(Buffer.concat(after).toString()), [path, path]);
}

async function readParsed(real: string, shown: string): Promise<{ document: NotebookDocument; revision: string }> {
  const descriptor = openForReading(real, shown);
  try {
    const bytes = await readDescriptor(descriptor);
    return { document: parseNotebook(bytes, shown), revision: revisionOf([bytes]) };
  } finally {
    closeSync(descriptor);
  }
}

async function recover(file: LockedFile): Promise<void> {
  const copy = findSafetyCopy(file.path);
  if (copy === undefined || !file.writable) return;
  await restoreSafetyCopy(copy, file.descriptor, await readDescriptor(file.descriptor));
}

/** Throws `revision_mismatch` unless the document is the one that the caller knows. */
export function checkRevision(document: NotebookDocument, path: string, expected: string): void {
  const actual = revisionOf([document.bytes]);
  if (actual !== expected) throw revisionMismatch(path, expected, actual, document.cells.length);
}

/** Throws `write_failed` for a file that is marked read-only, or that this user may not write. */
export function checkWritable({ stat, writable }: Pick<LockedFile, "stat" | "writable">, path: string): void {
  const isReadOnly = (stat.mode & 0o222n) === 0n;
  if (isReadOnly || !writable) {
    throw writeFailed(
      path,
      isReadOnly ? "the file is read-only" : "permission denied",
      "an edit with force writes a read-only file of your own, and a run can write a copy (save_as)",
    );
  }
}

/** The same for a notebook that is to be written later, as far as that can be known before. */
export function checkWritableLater(path: string, cwd: string): void {
  const real = resolveNotebookPath(path, cwd);
  const stat = statSync(real, { bigint: true });
  let writable = true;
  try {
    accessSync(real, constants.W_OK);
  } catch {
    writable = false;
  }
  checkWritable({ stat, writable }, path);
}
