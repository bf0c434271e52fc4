import { logLine } from "../log.ts";
import type { PluginFailure } from "../plugin/failure.ts";
import type { OutputRendering } from "../render/notebook/output-lines.ts";
import { RendererRegistry } from "../render/renderer-registry.ts";
import type { Invocation } from "./command.ts";
import { openPluginHost } from "./plugin-host.ts";

/** The handlers and renderers of all plugins, which turn outputs into something to see; one that is broken, or breaks, is told of. */
export async function loadOutputRendering(invocation: Invocation): Promise<OutputRendering> {
  const warn = ({ source, message }: PluginFailure) => logLine(`warning: plugin ${source}: ${message}`);
  const { mime, renderers, failed } = await openPluginHost(invocation, warn).forCall(invocation);
  failed.forEach(warn);
  return { mime, renderers: new RendererRegistry(renderers) };
}
