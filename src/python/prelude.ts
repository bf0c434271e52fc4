import { join } from "node:path";
import { deliverPackage, PythonPackage } from "./deliver-package.ts";
import loaderSource from "./prelude-loader.py" with { type: "text" };
import { preludeSources } from "./prelude-sources.ts";
import { pythonString } from "./python-string.ts";

const LOADER = "loading.py";
const PACKAGE = new PythonPackage("nuthatch_prelude", { ...preludeSources, [LOADER]: loaderSource });

/** A file whose public names come into the namespace beside the helpers. */
export interface PreludeModule {
  path: string;
  name: string;
  text: string;
}

/** Where a kernel takes the prelude's package from: a folder that it can read, or else the text itself. */
export type PreludePlace = { folder: string } | { files: Record<string, string> };

/** What the loader displays what went wrong under: a list of `{source, message, line?}`. */
export const PRELUDE_DIAGNOSTICS = "application/vnd.nuthatch.diagnostics+json";

/** Puts the package below the runtime directory, where Python caches its compiled form. Throws what the disk says. */
export function deliverPrelude(runtimeDirectory: string): PreludePlace {
  return { folder: deliverPackage(runtimeDirectory, "prelude", PACKAGE) };
}

/** The package as text, for a kernel that does not share our disk. */
export function carryPrelude(): PreludePlace {
  return { files: preludeSources };
}

/**
 * Code for any Python kernel that puts the helpers and the modules' names into its namespace. What is wrong with it or with a
 * module takes nothing down; it is displayed under {@link PRELUDE_DIAGNOSTICS}.
 */
export function preludeCode(place: PreludePlace, modules: readonly PreludeModule[]): string {
  const failure = `{"source": "prelude", "message": repr(__import__("sys").exc_info()[1])}`;
  return [
    "try:",
    ...strictPreludeCode(place, modules).map((line) => `    ${line}`),
    `except Exception: display({"${PRELUDE_DIAGNOSTICS}": [${failure}]}, raw=True)`,
  ].join("\n");
}

/** The lines of that code which raise what is wrong with the prelude itself. */
export function strictPreludeCode(place: PreludePlace, modules: readonly PreludeModule[]): string[] {
  const order = pythonString(JSON.stringify({ modules, mime: PRELUDE_DIAGNOSTICS }));
  return [preludeWarmUp(place), `__import__("sys").modules["${PACKAGE.name}"].install(globals(), ${order})`];
}

/** Code that imports the package if that was not done, so that loading it takes no time. The namespace stays as it is. */
export function preludeWarmUp(place: PreludePlace): string {
  const loader = "folder" in place ? readFile(join(place.folder, PACKAGE.name, LOADER)) : pythonString(loaderSource);
  const load = `exec(${loader}, {"ORDER": ${pythonString(JSON.stringify(place))}})`;
  return `if "${PACKAGE.name}" not in __import__("sys").modules: ${load}`;
}

/** An expression for a file's bytes; Python would take its text, in a literal, apart each time. */
function readFile(path: string): string {
  return `__import__("_frozen_importlib_external").FileLoader("", ${pythonString(path)}).get_data(${pythonString(path)})`;
}
