import { deliverPackage } from "./deliver-package.ts";
import loaderSource from "./prelude-loader.py" with { type: "text" };
import { preludeSources } from "./prelude-sources.ts";
import { pythonString } from "./python-string.ts";

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
  return { folder: deliverPackage(runtimeDirectory, "prelude", { name: "nuthatch_prelude", files: preludeSources }) };
}

/** The package as text, for a kernel that does not share our disk. */
export function carryPrelude(): PreludePlace {
  return { files: preludeSources };
}

/** Code for any Python kernel that puts the helpers and the modules' names into its namespace. It never raises. */
export function preludeCode(place: PreludePlace, modules: readonly PreludeModule[]): string {
  return loaderCode({ ...place, modules });
}

/** Code that only imports the package, so that loading it later takes no time. The namespace stays as it is. */
export function preludeWarmUp(place: PreludePlace): string {
  return loaderCode(place);
}

function loaderCode(order: object): string {
  const text = JSON.stringify({ ...order, mime: PRELUDE_DIAGNOSTICS });
  return `exec(${pythonString(loaderSource)}, {"ORDER": ${pythonString(text)}, "NAMESPACE": globals()})`;
}
