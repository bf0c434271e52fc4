import { createHash } from "node:crypto";
import { lstatSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensurePrivateDirectory } from "../paths.ts";

/** A Python package that the binary carries: its files by name. */
export class PythonPackage {
  /** Where this process has written it, or found it whole. */
  readonly places = new Set<string>();
  #hash: string | undefined;

  constructor(
    readonly name: string,
    readonly files: Record<string, string>,
  ) {}

  /** Tells its versions apart. */
  get hash(): string {
    this.#hash ??= contentHash(this.files);
    return this.#hash;
  }
}

/**
 * Writes a package below `<runtime>/<label>-<content hash>/`, or repairs it; safe when many processes do so at once. Later only
 * files that are gone are noticed. Returns the folder to import it from, where Python can keep its compiled form.
 */
export function deliverPackage(runtimeDirectory: string, label: string, carried: PythonPackage): string {
  ensurePrivateDirectory(runtimeDirectory);
  const folder = ensurePrivateDirectory(packageFolder(runtimeDirectory, label, carried));
  if (!carried.places.has(folder) || countFiles(folder, carried) < Object.keys(carried.files).length) {
    writePackage(folder, carried);
    carried.places.add(folder);
  }
  return folder;
}

/** Where a package is delivered to. */
export function packageFolder(runtimeDirectory: string, label: string, carried: PythonPackage): string {
  return join(runtimeDirectory, `${label}-${carried.hash}`);
}

/** Writes the files of the package that are missing or cut, each by rename, into a folder for Python to import from. */
export function writePackage(folder: string, { name, files }: PythonPackage): void {
  const inside = ensurePrivateDirectory(join(folder, name));
  for (const [file, source] of Object.entries(files)) {
    const path = join(inside, file);
    if (sizeOf(path) !== Buffer.byteLength(source)) writeByRename(path, source);
  }
}

function contentHash(files: Record<string, string>): string {
  const hash = createHash("sha256");
  for (const [name, source] of Object.entries(files)) hash.update(`${name}\0${source}\0`);
  return hash.digest("hex").slice(0, 16);
}

function countFiles(folder: string, { name }: PythonPackage): number {
  try {
    return readdirSync(join(folder, name)).filter((file) => file.endsWith(".py")).length;
  } catch {
    return 0;
  }
}

function sizeOf(path: string): number {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() ? found.size : -1;
}

function writeByRename(path: string, source: string): void {
  const temporary = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  writeFileSync(temporary, source, { mode: 0o600 });
  renameSync(temporary, path);
}
