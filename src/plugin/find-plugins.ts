import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { errorMessage } from "../errors.ts";
import type { PluginFailure } from "./failure.ts";

const PLUGIN_FILE = /\.(ts|tsx|mts|js|jsx|mjs|cjs)$/;
const NO_PLUGIN = /^[._]|\.d\.ts$|\.(test|spec)\.\w+$/;

/** Plugin files in the order in which they count, and the folders and files that cannot be used. */
export interface FoundPlugins {
  files: string[];
  failed: PluginFailure[];
}

/** Where plugins are looked for, each after the one before it. */
export interface PluginPlaces {
  /** The running binary; `plugins/` beside it is used only if both can be written by their owner alone. */
  executable?: string;
  configDirectory: string;
  /** Files and directories of the `plugins` setting; relative ones belong to `cwd`. */
  settings: readonly string[];
  cwd: string;
  /** A project folder that the user trusts. */
  trustedProject?: string;
}

/** The plugin files of all places. A place that does not exist is no failure unless the settings name it. */
export function findPlugins(places: PluginPlaces): FoundPlugins {
  const found: FoundPlugins = { files: [], failed: [] };
  if (places.executable !== undefined) addBesideBinary(places.executable, found);
  addDirectory(join(places.configDirectory, "plugins"), found);
  for (const path of places.settings) addNamed(resolve(places.cwd, path), found);
  if (places.trustedProject !== undefined) addDirectory(join(places.trustedProject, ".nuthatch", "plugins"), found);
  return { files: [...new Set(found.files)], failed: found.failed };
}

/** The plugin files of one file or directory that a person named. */
export function findNamedPlugins(path: string): FoundPlugins {
  const found: FoundPlugins = { files: [], failed: [] };
  addNamed(resolve(path), found);
  return found;
}

function addBesideBinary(executable: string, found: FoundPlugins): void {
  const directory = join(dirname(executable), "plugins");
  if (!existsSync(directory)) return;
  const open = [executable, dirname(executable), directory].find(othersCanWrite);
  if (open === undefined) addDirectory(directory, found);
  else found.failed.push({ source: directory, message: `not loaded, because others can write to ${open}` });
}

/** Whether anybody but the owner may change it (the mode bits; the owner of a binary is trusted as the binary is). */
function othersCanWrite(path: string): boolean {
  return process.platform !== "win32" && (statSync(path).mode & 0o022) !== 0;
}

function addNamed(path: string, found: FoundPlugins): void {
  try {
    if (statSync(path).isDirectory()) addDirectory(path, found);
    else found.files.push(path);
  } catch (error) {
    found.failed.push({ source: path, message: errorMessage(error) });
  }
}

/** A plugin is a file of the directory, or a folder in it that has an `index` file. */
function addDirectory(directory: string, found: FoundPlugins): void {
  if (!existsSync(directory)) return;
  try {
    const names = readdirSync(directory).filter((name) => !NO_PLUGIN.test(name));
    found.files.push(...names.sort().flatMap((name) => pluginFile(join(directory, name)) ?? []));
  } catch (error) {
    found.failed.push({ source: directory, message: errorMessage(error) });
  }
}

function pluginFile(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.isFile()) return PLUGIN_FILE.test(path) ? path : undefined;
  if (!stat?.isDirectory()) return undefined;
  const index = readdirSync(path).find((name) => /^index\.(ts|tsx|mts|js|jsx|mjs|cjs)$/.test(name));
  return index === undefined ? undefined : join(path, index);
}
