import { closeSync } from "node:fs";
import { resolve } from "node:path";
import { errorCode } from "../errors.ts";
import type { NotebookDocument } from "../notebook/document.ts";
import { cellMembers, findMember, readValue } from "../notebook/document.ts";
import { openForReading, readDescriptor } from "../notebook/locked-file.ts";
import { readNotebook } from "../notebook/notebook-file.ts";
import { readCell, readOutputs } from "../notebook/read-cells.ts";
import type { ShownCell, ShownNotebook } from "../render/notebook/notebook-lines.ts";
import { readOldCells } from "../render/notebook/old-notebook.ts";

/** Reads a notebook for people, also one of nbformat 2 or 3, which nothing else here reads. Throws what reading throws. */
export async function readShownNotebook(path: string, cwd: string): Promise<ShownNotebook> {
  try {
    const { document } = await readNotebook(path, cwd);
    const { members, bytes, cells } = document;
    const metadata = findMember(members, "metadata");
    return {
      name: path,
      ...describeKernel(metadata === undefined ? undefined : readValue(bytes, metadata)),
      cellCount: cells.length,
      cells: readShownCells(document),
    };
  } catch (error) {
    const old = errorCode(error) === "invalid_notebook" ? await readOldNotebook(resolve(cwd, path)) : undefined;
    if (old === undefined) throw error;
    return { ...old, name: path };
  }
}

function* readShownCells(document: NotebookDocument): Iterable<ShownCell> {
  for (let index = 0; index < document.cells.length; index++) {
    const attachments = findMember(cellMembers(document, index), "attachments");
    yield {
      ...readCell(document, index),
      outputs: readOutputs(document, index),
      ...(attachments && { attachments: readValue(document.bytes, attachments) as Record<string, unknown> }),
    };
  }
}

async function readOldNotebook(path: string): Promise<Omit<ShownNotebook, "name"> | undefined> {
  try {
    const notebook: unknown = JSON.parse((await readFileBytes(path)).toString());
    const cells = readOldCells(notebook);
    const metadata = (notebook as { metadata?: unknown }).metadata;
    return cells && { ...describeKernel(metadata), cellCount: cells.length, cells };
  } catch {
    return undefined;
  }
}

/** Of a regular file: a pipe would be waited for, and a device never ends. */
async function readFileBytes(path: string): Promise<Buffer> {
  const descriptor = openForReading(path, path);
  try {
    return await readDescriptor(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Of a notebook's metadata what says its language: the kernel's own word, else the kernelspec's. */
function describeKernel(metadata: unknown): { kernel?: string; language?: string } {
  const { kernelspec, language_info: info } = (metadata ?? {}) as Record<string, Record<string, unknown> | undefined>;
  const kernel = kernelspec?.display_name ?? kernelspec?.name;
  const language = info?.name ?? kernelspec?.language ?? kernelspec?.name;
  return {
    ...(typeof kernel === "string" && { kernel }),
    language: typeof language === "string" ? language : "python",
  };
}
