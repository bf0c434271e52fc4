import { logLine } from "../log.ts";
import type { OutputRendering } from "../render/notebook/output-lines.ts";
import { RendererRegistry } from "../render/renderer-registry.ts";
import type { Invocation } from "./command.ts";
import { openPluginHost } from "./plugin-host.ts";

/** The handlers and renderers of all plugins, which turn outputs into something to see; a broken one is told of. */
export async function loadOutputRendering(invocation: Invocation): Promise<OutputRendering> {
  const { mime, renderers, failed } = await openPluginHost(invocation).forCall(invocation);
  for (const { source, message } of failed) logLine(`warning: plugin ${source}: ${message}`);
  return { mime, renderers: new RendererRegistry(renderers) };
}
