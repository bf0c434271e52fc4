// Plugins of this process, loaded when they are first asked for: one set for all folders, and one for each trusted project
// that a call comes from. Nothing has to be closed.
import type { Directories } from "../paths.ts";
import type { Plugin } from "./api.ts";
import { type FoundPlugins, findPlugins } from "./find-plugins.ts";
import type { LoadedPlugins } from "./load-plugins.ts";
import { findTrustedProject } from "./trust.ts";

/** Where plugins come from. `builtIns` loads those of the binary; `executable` is the binary itself. */
export interface PluginHostOptions {
  builtIns(): Promise<readonly Plugin[]>;
  directories: Directories;
  /** Files and directories of the `plugins` setting, relative to `cwd`. */
  files: readonly string[];
  cwd: string;
  executable: string;
}

export class PluginHost {
  private readonly found = new Map<string | undefined, FoundPlugins>();
  private readonly loaded = new Map<string | undefined, Promise<LoadedPlugins>>();

  constructor(private readonly options: PluginHostOptions) {}

  /** The plugins for a call from a folder. Never throws: what could not be loaded is among `failed`. */
  forFolder(cwd: string): Promise<LoadedPlugins> {
    const project = this.projectOf(cwd);
    const loading = this.loaded.get(project) ?? this.load(project);
    this.loaded.set(project, loading);
    return loading;
  }

  /** Whether any plugin beside the built-in ones, which have no hooks, could hear of a call from a folder. */
  hasFiles(cwd: string): boolean {
    return this.find(this.projectOf(cwd)).files.length > 0;
  }

  private projectOf(cwd: string): string | undefined {
    return findTrustedProject(this.options.directories.state, cwd);
  }

  private find(project: string | undefined): FoundPlugins {
    const { directories, files, cwd, executable } = this.options;
    const known = this.found.get(project);
    if (known !== undefined) return known;
    const trusted = project === undefined ? {} : { trustedProject: project };
    const found = findPlugins({ executable, configDirectory: directories.config, settings: files, cwd, ...trusted });
    this.found.set(project, found);
    return found;
  }

  private async load(project: string | undefined): Promise<LoadedPlugins> {
    const [{ loadPlugins }, builtIns] = await Promise.all([import("./load-plugins.ts"), this.options.builtIns()]);
    return await loadPlugins({ builtIns, ...this.find(project) });
  }
}
