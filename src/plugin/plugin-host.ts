// Plugins of this process, loaded when a call first needs them: one set for each list of files, which differs by the call's
// settings and by the trusted project that it comes from. Nothing has to be closed.
import { resolve } from "node:path";
import type { Directories } from "../paths.ts";
import type { Plugin } from "./api.ts";
import type { PluginFailure } from "./failure.ts";
import { type FoundModules, findModules } from "./find-modules.ts";
import { type FoundPlugins, findPlugins } from "./find-plugins.ts";
import type { LoadedPlugins } from "./load-plugins.ts";
import { findTrustedProject } from "./trust.ts";

/** Where plugins come from beside the call's own. `builtIns` loads those of the binary; `executable` is the binary itself. */
export interface PluginHostOptions {
  builtIns(): Promise<readonly Plugin[]>;
  directories: Directories;
  executable: string;
  /** Hears of a failure after a set was loaded, once each. */
  onFailure?(failure: PluginFailure): void;
}

/** What of a call decides on its plugins: its folder, and the `plugins` setting, relative to it. */
export interface PluginCall {
  cwd: string;
  settings: { plugins: readonly string[] };
}

export class PluginHost {
  private readonly sets = new Map<string, { found: FoundPlugins; loading?: Promise<LoadedPlugins> }>();

  constructor(private readonly options: PluginHostOptions) {}

  /** The plugins for a call. Never rejects: what could not be loaded is among `failed`. */
  forCall(call: PluginCall): Promise<LoadedPlugins> {
    const set = this.find(call);
    set.loading ??= this.load(set.found);
    return set.loading;
  }

  /** Whether there is any plugin beside the built-in ones, which have no hooks, to hear of a call. */
  hasFiles(call: PluginCall): boolean {
    return this.find(call).found.files.length > 0;
  }

  /** The modules that the cells of a folder's sessions get, as they are on the disk now. */
  findModules(cwd: string): FoundModules {
    const { directories } = this.options;
    return findModules(directories.config, findTrustedProject(directories.state, cwd));
  }

  private find({ cwd, settings }: PluginCall) {
    const { directories, executable } = this.options;
    const trustedProject = findTrustedProject(directories.state, cwd);
    const files = settings.plugins.map((path) => resolve(cwd, path));
    const key = JSON.stringify([trustedProject, files]);
    const known = this.sets.get(key);
    if (known !== undefined) return known;
    const project = trustedProject === undefined ? {} : { trustedProject };
    const found = findPlugins({ executable, configDirectory: directories.config, settings: files, cwd, ...project });
    const set: { found: FoundPlugins; loading?: Promise<LoadedPlugins> } = { found };
    this.sets.set(key, set);
    return set;
  }

  private async load(found: FoundPlugins): Promise<LoadedPlugins> {
    const [{ loadPlugins }, builtIns] = await Promise.all([import("./load-plugins.ts"), this.options.builtIns()]);
    const { onFailure } = this.options;
    return await loadPlugins({ builtIns, ...found, ...(onFailure ? { onFailure } : {}) });
  }
}
