import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../errors.ts";
import { describeFailure, type PluginFailure } from "./failure.ts";

/** A Python file for the cells of a session. */
export interface ModuleFile {
  path: string;
  name: string;
  text: string;
}

/** The files by name, and what could not be read. */
export interface FoundModules {
  modules: ModuleFile[];
  failed: PluginFailure[];
}

/** Hidden and private files are none, nor is what editors leave behind. */
const MODULE_FILE = /^(?![._]).+\.py$/;

/** Reads `modules/*.py` of the configuration directory, then `.nuthatch/modules/*.py` of a trusted project, which override by name. */
export function findModules(configDirectory: string, trustedProject: string | undefined): FoundModules {
  const folders = [join(configDirectory, "modules")];
  if (trustedProject !== undefined) folders.push(join(trustedProject, ".nuthatch", "modules"));
  const failed: PluginFailure[] = [];
  const paths = new Map(folders.flatMap((folder) => listModules(folder, failed)));
  const modules = [...paths].sort().flatMap(([name, path]) => readModule(name, path, failed));
  return { modules, failed };
}

function listModules(folder: string, failed: PluginFailure[]): [name: string, path: string][] {
  try {
    const names = readdirSync(folder).filter((name) => MODULE_FILE.test(name));
    return names.map((name) => [name.slice(0, -".py".length), join(folder, name)]);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") failed.push(describeFailure(folder, error));
    return [];
  }
}

function readModule(name: string, path: string, failed: PluginFailure[]): ModuleFile[] {
  try {
    return [{ path, name, text: readFileSync(path, "utf8") }];
  } catch (error) {
    failed.push(describeFailure(path, error));
    return [];
  }
}
