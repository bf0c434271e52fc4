import { deliverPackage, PythonPackage, packageFolder, writePackage } from "./deliver-package.ts";
import { kernelSources } from "./kernel-sources.ts";

const LABEL = "kernel";
const PACKAGE = new PythonPackage("nuthatch_kernel", kernelSources);

/**
 * The command that starts the bundled kernel from `folder`, with `{connection_file}` still in it; `python` is any Python from
 * 3.8 on.
 */
export function bundledKernelArgv(python: string, folder: string): string[] {
  return [python, "-c", launcher(JSON.stringify(folder)), "{connection_file}"];
}

/** The folder below the runtime directory that the kernel's package is imported from once it was delivered. */
export function kernelFolder(runtimeDirectory: string): string {
  return packageFolder(runtimeDirectory, LABEL, PACKAGE);
}

/** Writes the kernel's package below the runtime directory, or repairs it. Returns the folder to import it from. */
export function deliverKernel(runtimeDirectory: string): string {
  return deliverPackage(runtimeDirectory, LABEL, PACKAGE);
}

/** Writes the files of the package that are missing or differ into a folder for Python to import from. */
export function writeKernelPackage(folder: string): void {
  writePackage(folder, PACKAGE);
}

/**
 * Imports the package with nothing but Python's own library on the path, so that a user's json.py is not taken for the real
 * one, then puts the path back as the user will see it. Many container images turn the cache of compiled files off. `folder` is
 * a Python expression.
 */
export function launcher(folder: string): string {
  return [
    "import gc, os, sys",
    "gc.disable()",
    "kept = sys.path, sys.dont_write_bytecode",
    "library = os.path.dirname(os.__file__)",
    `own = lambda entry: entry.startswith(library) and "-packages" not in entry or entry.endswith(".zip")`,
    `sys.path, sys.dont_write_bytecode = [${folder}] + list(filter(own, sys.path)), False`,
    `from ${PACKAGE.name}.start_cache import import_main`,
    "main = import_main()",
    "sys.path, sys.dont_write_bytecode = kept",
    "main(sys.argv[1])",
  ].join("\n");
}
