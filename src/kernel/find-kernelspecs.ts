import { readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { errorMessage } from "../errors.ts";
import type { KernelSpec } from "./model.ts";

/** A folder with a `kernel.json` that could not be used, and why. */
export interface BrokenKernelSpec {
  path: string;
  reason: string;
}

/** The characters that a kernelspec's name may have (jupyter_client, "Kernel specs"). */
const VALID_NAME = /^[a-z0-9._-]+$/i;

/**
 * The host's kernelspecs by name, in lower case. The first folder that has a name wins: `JUPYTER_PATH`, the chosen interpreter's
 * prefix, the user's data folder, the active environment, the system.
 */
export function findKernelSpecs(
  env: Record<string, string>,
  prefix: string | undefined,
): { specs: Map<string, KernelSpec>; broken: BrokenKernelSpec[] } {
  const specs = new Map<string, KernelSpec>();
  const broken: BrokenKernelSpec[] = [];
  for (const folder of listFolders(env, prefix)) {
    for (const entry of listEntries(folder)) {
      const name = entry.toLowerCase();
      if (specs.has(name) || !VALID_NAME.test(entry)) continue;
      const found = readKernelSpec(join(folder, entry), name);
      if (found && "reason" in found) broken.push(found);
      else if (found) specs.set(name, found);
    }
  }
  return { specs, broken };
}

function listFolders(env: Record<string, string>, prefix: string | undefined): string[] {
  const home = env.HOME || homedir();
  const user = env.JUPYTER_DATA_DIR || join(env.XDG_DATA_HOME || join(home, ".local", "share"), "jupyter");
  const mac = process.platform === "darwin" && !env.JUPYTER_DATA_DIR ? [join(home, "Library", "Jupyter")] : [];
  const environments = [env.VIRTUAL_ENV, env.CONDA_PREFIX]
    .filter(Boolean)
    .map((folder) => join(folder!, "share/jupyter"));
  const data = [
    ...(env.JUPYTER_PATH ?? "").split(delimiter).filter(Boolean),
    ...(prefix ? [join(prefix, "share", "jupyter")] : []),
    ...mac,
    user,
    ...environments,
    "/usr/local/share/jupyter",
    "/usr/share/jupyter",
  ];
  return [...new Set(data.map((folder) => join(folder, "kernels")))];
}

function listEntries(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

function readKernelSpec(resourceDir: string, name: string): KernelSpec | BrokenKernelSpec | undefined {
  const path = join(resourceDir, "kernel.json");
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
  try {
    return toKernelSpec(JSON.parse(text), resourceDir, name);
  } catch (error) {
    return { path, reason: errorMessage(error) };
  }
}

function toKernelSpec(json: Record<string, unknown>, resourceDir: string, name: string): KernelSpec {
  const argv = json.argv;
  if (!Array.isArray(argv) || argv.length === 0 || !argv.every((word) => typeof word === "string"))
    throw new Error("argv is not a list of words");
  const env = Object.entries((json.env as Record<string, unknown> | undefined) ?? {});
  return {
    name,
    displayName: typeof json.display_name === "string" ? json.display_name : name,
    language: typeof json.language === "string" ? json.language : "",
    argv,
    env: Object.fromEntries(env.map(([key, value]) => [key, String(value)])),
    interruptMode: json.interrupt_mode === "message" ? "message" : "signal",
    metadata: (json.metadata as Record<string, unknown> | undefined) ?? {},
    resourceDir,
  };
}
