import { resolve } from "node:path";
import { errorCode } from "../errors.ts";
import { lockNotebook, readDescriptor } from "./locked-file.ts";
import { createFile } from "./new-file.ts";
import { writeFailed } from "./notebook-errors.ts";
import { readNotebook, resolveNotebookPath } from "./notebook-file.ts";
import { replaceFile } from "./replace-file.ts";

/** Puts a notebook's bytes, as they are, under another path, in the place of what is there; whole or not at all. */
export async function copyNotebook(from: string, to: string, cwd: string): Promise<void> {
  const { bytes } = (await readNotebook(from, cwd)).document;
  const target = findFile(to, cwd);
  if (target === undefined) return await createFile(resolve(cwd, to), to, bytes);
  using file = await lockNotebook(target, to);
  if (!(await replaceFile(file, await readDescriptor(file.descriptor), [bytes]))) {
    throw writeFailed(to, "another program is changing it");
  }
}

function findFile(path: string, cwd: string): string | undefined {
  try {
    return resolveNotebookPath(path, cwd);
  } catch (error) {
    if (errorCode(error) === "notebook_not_found") return undefined;
    throw error;
  }
}
