import { closeSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import { errorCode } from "../errors.ts";
import { type NotebookDocument, parseNotebook } from "./document.ts";
import { isOneLine } from "./layout.ts";
import { type LockedFile, lockNotebook, openForReading, readDescriptor } from "./locked-file.ts";
import { notebookNotFound, readFailed, revisionMismatch, writeFailed } from "./notebook-errors.ts";
import { layOutOneLine } from "./one-line.ts";
import { replaceFile } from "./replace-file.ts";
import { revisionOf } from "./revision.ts";
import { findSafetyCopy, restoreSafetyCopy } from "./safety-copy.ts";
import { changesBytes, type Replacement, splice } from "./splice.ts";

/** A change of a notebook: where it is, and what must hold for it. */
export interface ChangeOptions {
  /** As the caller wrote it; relative to `cwd`. */
  path: string;
  cwd: string;
  /** Refuse the change if the file's revision is another one. */
  ifRevision?: string | undefined;
  /** Write a file that is marked read-only. */
  force?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/** The file was changed again and again by a writer that takes no lock; giving up is better than going on for ever. */
const ATTEMPTS = 5;

/** Reads and parses a notebook; `path` is relative to `cwd`. */
export async function readNotebook(
  path: string,
  cwd: string,
): Promise<{ document: NotebookDocument; revision: string }> {
  const real = realPath(path, cwd);
  try {
    return readParsed(real, path);
  } catch (error) {
    // Somebody is writing it in place, or was killed while at it.
    if (findSafetyCopy(real) === undefined) throw error;
    using file = await lockNotebook(real, path);
    await recover(file);
    return readParsed(real, path);
  }
}

/**
 * Changes a notebook by a plan that is worked out while the file is locked, and again if somebody changes it meanwhile; it
 * must only compute. A plan without replacements leaves the file untouched. Returns the plan and the new revision.
 */
export async function changeNotebook<Plan extends { replacements: Replacement[] }>(
  options: ChangeOptions,
  plan: (document: NotebookDocument) => Plan,
): Promise<Plan & { revision: string }> {
  const path = realPath(options.path, options.cwd);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    using file = await lockNotebook(path, options.path, options.signal);
    await recover(file);
    const changed = await changeLocked(file, options, plan);
    if (changed !== undefined) return changed;
  }
  throw writeFailed(options.path, "another program keeps changing it");
}

async function changeLocked<Plan extends { replacements: Replacement[] }>(
  file: LockedFile,
  { path, ifRevision, force }: ChangeOptions,
  plan: (document: NotebookDocument) => Plan,
): Promise<(Plan & { revision: string }) | undefined> {
  const bytes = readDescriptor(file.descriptor);
  let document = parseNotebook(bytes, path);
  if (ifRevision !== undefined) checkRevision(document, path, ifRevision);
  let planned = plan(document);
  if (!changesBytes(bytes, planned.replacements)) return { ...planned, revision: revisionOf([bytes]) };
  if (!force) checkWritable(file, path);
  if (isOneLine(document)) {
    document = parseNotebook(layOutOneLine(document), path);
    planned = plan(document);
  }
  const pieces = splice(document.bytes, planned.replacements);
  const [written, revision] = await Promise.all([replaceFile(file, bytes, pieces), revisionOf(pieces)]);
  return written ? { ...planned, revision } : undefined;
}

function readParsed(real: string, shown: string): { document: NotebookDocument; revision: string } {
  const descriptor = openForReading(real, shown);
  try {
    const bytes = readDescriptor(descriptor);
    return { document: parseNotebook(bytes, shown), revision: revisionOf([bytes]) };
  } finally {
    closeSync(descriptor);
  }
}

async function recover(file: LockedFile): Promise<void> {
  const copy = findSafetyCopy(file.path);
  if (copy === undefined || !file.writable) return;
  await restoreSafetyCopy(copy, file.descriptor, readDescriptor(file.descriptor));
}

function realPath(path: string, cwd: string): string {
  try {
    return realpathSync(resolve(cwd, path));
  } catch (error) {
    const isMissing = ["ENOENT", "ENOTDIR", "ENAMETOOLONG"].includes(errorCode(error) ?? "");
    throw isMissing ? notebookNotFound(path) : readFailed(path, error);
  }
}

function checkRevision(document: NotebookDocument, path: string, expected: string): void {
  const actual = revisionOf([document.bytes]);
  if (actual !== expected) throw revisionMismatch(path, expected, actual, document.cells.length);
}

function checkWritable(file: LockedFile, path: string): void {
  const isReadOnly = (file.stat.mode & 0o222n) === 0n;
  if (isReadOnly || !file.writable) {
    throw writeFailed(
      path,
      isReadOnly ? "the file is read-only" : "permission denied",
      "force writes a read-only file of your own",
    );
  }
}
