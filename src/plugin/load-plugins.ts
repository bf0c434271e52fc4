import { dirname, resolve } from "node:path";
import { MimeRegistry } from "../output/mime-registry.ts";
import type { MimeHandler } from "../output/model.ts";
import type { Renderer } from "../render/renderer.ts";
import * as api from "./api.ts";
import { describeFailure, type PluginFailure } from "./failure.ts";
import { limitPlugin, watchRenderer } from "./guard-plugin.ts";
import { type OnHookFailure, PluginHooks } from "./hooks.ts";
import { importPlugin } from "./import-plugin.ts";
import { readPlugin } from "./read-plugin.ts";
import { refuseExit } from "./time-limit.ts";

/** A plugin that is in use, as `nuthatch plugins list --json` prints it. `source` is its file or `built-in`. */
export interface PluginInfo {
  name: string;
  source: string;
  mime: string[];
  renderers: string[];
  hooks: string[];
}

/** All plugins of a process. `failed` grows when a part of one throws or hangs later; what it holds is for diagnostics. */
export interface LoadedPlugins {
  plugins: PluginInfo[];
  failed: PluginFailure[];
  mime: MimeRegistry;
  /** In order: of several for one type, the last counts. */
  renderers: Renderer[];
  hooks: PluginHooks;
}

/** What to load, in order. `failed` is taken over from the search for the files. */
export interface LoadPluginsOptions {
  builtIns: readonly api.Plugin[];
  files?: readonly string[];
  failed?: readonly PluginFailure[];
  /** Hears of a failure after start-up, once each. */
  onFailure?: (failure: PluginFailure) => void;
}

interface Sourced {
  plugin: api.Plugin;
  source: string;
}

/** Loads the plugins once, at start-up. Never throws: one that is broken, slow or no plugin is among `failed`. */
export async function loadPlugins(options: LoadPluginsOptions): Promise<LoadedPlugins> {
  const failed: PluginFailure[] = [...(options.failed ?? [])];
  const builtIns = options.builtIns.map((plugin) => ({ plugin, source: "built-in" }));
  const loaded = [...builtIns, ...(await loadFiles(options.files ?? [], failed))];
  const report = (source: string, prefix: string, error: unknown) => {
    const failure = describeFailure(source, error, prefix);
    failed.push(failure);
    options.onFailure?.(failure);
  };
  return {
    plugins: loaded.map(describePlugin),
    failed,
    mime: createRegistry(loaded, report),
    renderers: loaded.flatMap(({ plugin, source }) =>
      (plugin.renderers ?? []).map((renderer) =>
        watchRenderer(renderer, (type, error) => report(source, `renderer ${type}: `, error)),
      ),
    ),
    hooks: new PluginHooks(loaded, report),
  };
}

function createRegistry(loaded: readonly Sourced[], report: OnHookFailure): MimeRegistry {
  const sources = new Map<MimeHandler, string>();
  for (const { plugin, source } of loaded) for (const handler of plugin.mime ?? []) sources.set(handler, source);
  const onError = (handler: MimeHandler, error: unknown) =>
    report(sources.get(handler) ?? "built-in", `MIME type ${handler.mime}: `, error);
  return new MimeRegistry([...sources.keys()], onError);
}

async function loadFiles(files: readonly string[], failed: PluginFailure[]): Promise<Sourced[]> {
  if (files.length === 0) return [];
  provideApi();
  refuseExit();
  const loaded = await Promise.all(files.map((file) => loadFile(file, files, failed)));
  return loaded.filter((found) => found !== undefined);
}

async function loadFile(
  source: string,
  files: readonly string[],
  failed: PluginFailure[],
): Promise<Sourced | undefined> {
  try {
    const found = await importPlugin(source);
    if (found !== "missing") return { plugin: limitPlugin(readPlugin(found.value)), source };
    if (await isImportedByAnother(source, files)) return undefined;
    throw new TypeError("it has no default export: export default { name: ... } satisfies Plugin");
  } catch (error) {
    failed.push(describeFailure(source, error));
    return undefined;
  }
}

/** Makes "nuthatch/plugin" importable from files on disk; has to happen before the first of them is loaded. */
function provideApi(): void {
  Bun.plugin({
    name: "nuthatch",
    setup(build) {
      build.module("nuthatch/plugin", () => ({ exports: { ...api }, loader: "object" }));
    },
  });
}

/** Whether a file without a plugin is a part of another plugin beside it, and no mistake. */
async function isImportedByAnother(file: string, files: readonly string[]): Promise<boolean> {
  const beside = files.filter((other) => other !== file && dirname(other) === dirname(file));
  const stem = (path: string) => path.replace(/\.\w+$/, "");
  for (const other of beside) {
    try {
      const loader = other.endsWith("x") ? "tsx" : "ts";
      const imports = new Bun.Transpiler({ loader }).scanImports(await Bun.file(other).text());
      const paths = imports.map((found) => resolve(dirname(other), found.path));
      if (paths.some((path) => path === file || stem(path) === stem(file))) return true;
    } catch {
      // A file that cannot be read or parsed has its own diagnostic.
    }
  }
  return false;
}

function describePlugin({ plugin, source }: Sourced): PluginInfo {
  return {
    name: plugin.name,
    source,
    mime: (plugin.mime ?? []).map((handler) => handler.mime),
    renderers: (plugin.renderers ?? []).map((renderer) => renderer.type),
    hooks: Object.keys(plugin.hooks ?? {}),
  };
}
