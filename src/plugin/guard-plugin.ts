import type { MimeHandler, OutputRenderer, Plugin } from "./api.ts";
import { callLimited } from "./time-limit.ts";

/** Hears of a renderer that threw or was cut off. */
export type OnRendererFailure = (type: string, error: unknown) => void;

/** A plugin from disk with limits on the time that its handlers and renderers take; they throw `plugin_cut_off` beyond them. */
export function limitPlugin(plugin: Plugin): Plugin {
  const limitHandler = (handler: MimeHandler): MimeHandler => ({
    ...handler,
    capture: (data, context) => callLimited(() => handler.capture?.(data, context)),
    text: (data, context) => callLimited(() => handler.text?.(data, context)),
  });
  const limitRenderer = (renderer: OutputRenderer): OutputRenderer => ({
    ...renderer,
    render: (output, context) => callLimited(() => renderer.render(output, context)),
  });
  return { ...plugin, mime: plugin.mime?.map(limitHandler), renderers: plugin.renderers?.map(limitRenderer) };
}

/** A renderer that tells of its failures before it throws them on. */
export function watchRenderer(renderer: OutputRenderer, onFailure: OnRendererFailure): OutputRenderer {
  const render: OutputRenderer["render"] = (output, context) => {
    try {
      return renderer.render(output, context);
    } catch (error) {
      onFailure(renderer.type, error);
      throw error;
    }
  };
  return { type: renderer.type, render };
}
