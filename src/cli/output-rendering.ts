import { BUILT_IN_PLUGINS } from "../../plugins/index.ts";
import { logLine } from "../log.ts";
import { findPlugins } from "../plugin/find-plugins.ts";
import { loadPlugins } from "../plugin/load-plugins.ts";
import type { OutputRendering } from "../render/notebook/output-lines.ts";
import { RendererRegistry } from "../render/renderer-registry.ts";
import type { Invocation } from "./command.ts";

/** The handlers and renderers of all plugins, which turn outputs into something to see. Failures are told on standard error. */
export async function loadOutputRendering({ directories, settings, cwd }: Invocation): Promise<OutputRendering> {
  const found = findPlugins({
    executable: process.execPath,
    configDirectory: directories.config,
    settings: settings.plugins,
    cwd,
  });
  const report = ({ source, message }: { source: string; message: string }) => logLine(`plugin ${source}: ${message}`);
  const loaded = await loadPlugins({ builtIns: BUILT_IN_PLUGINS, ...found, onFailure: report });
  for (const failure of loaded.failed) report(failure);
  return { mime: loaded.mime, renderers: new RendererRegistry(loaded.renderers) };
}
