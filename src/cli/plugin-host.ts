import { PluginHost } from "../plugin/plugin-host.ts";
import type { Invocation } from "./command.ts";

/** The plugins as a command in this process has them. */
export function openPluginHost({ directories }: Pick<Invocation, "directories">): PluginHost {
  return new PluginHost({
    builtIns: async () => (await import("../../plugins/index.ts")).BUILT_IN_PLUGINS,
    directories,
    executable: process.execPath,
  });
}
