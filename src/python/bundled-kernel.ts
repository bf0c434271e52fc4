import { createHash } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensurePrivateDirectory } from "../paths.ts";
import { kernelSources } from "./kernel-sources.ts";

const PACKAGE = "nuthatch_kernel";

/**
 * The command that starts the bundled kernel, with `{connection_file}` still in it; `python` is any Python from 3.8 on.
 * The kernel's files are put below the runtime directory first, so that Python can cache their compiled form.
 */
export async function bundledKernelArgv(python: string, runtimeDirectory: string): Promise<string[]> {
  const folder = deliverKernel(runtimeDirectory);
  return [python, "-c", launcher(JSON.stringify(folder)), "{connection_file}"];
}

/** Writes the kernel's package to `<runtime>/<content hash>/`, or repairs it; safe when many processes do so at once. Returns the folder. */
export function deliverKernel(runtimeDirectory: string): string {
  ensurePrivateDirectory(runtimeDirectory);
  const folder = ensurePrivateDirectory(join(runtimeDirectory, contentHash()));
  writeKernelPackage(folder);
  return folder;
}

/** Writes the files of the package that are missing or differ, each by rename, into a folder for Python to import from. */
export function writeKernelPackage(folder: string): void {
  const inside = ensurePrivateDirectory(join(folder, PACKAGE));
  for (const [name, source] of Object.entries(kernelSources)) {
    const path = join(inside, name);
    if (readOrEmpty(path) !== source) writeByRename(path, source);
  }
}

/**
 * Imports the package with nothing but Python's own library on the path, so that a user's json.py is not taken for the real
 * one, then puts the path back as the user will see it. Many container images turn the cache of compiled files off. `folder` is
 * a Python expression.
 */
export function launcher(folder: string): string {
  return [
    "import os, sys",
    "kept = sys.path, sys.dont_write_bytecode",
    "library = os.path.dirname(os.__file__)",
    `own = lambda entry: entry.startswith(library) and "-packages" not in entry or entry.endswith(".zip")`,
    `sys.path, sys.dont_write_bytecode = [${folder}] + list(filter(own, sys.path)), False`,
    `from ${PACKAGE}.__main__ import main`,
    "sys.path, sys.dont_write_bytecode = kept",
    "main(sys.argv[1])",
  ].join("\n");
}

function contentHash(): string {
  const hash = createHash("sha256");
  for (const [name, source] of Object.entries(kernelSources)) hash.update(`${name}\0${source}\0`);
  return `kernel-${hash.digest("hex").slice(0, 16)}`;
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function writeByRename(path: string, source: string): void {
  const temporary = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  writeFileSync(temporary, source, { mode: 0o600 });
  renameSync(temporary, path);
}
