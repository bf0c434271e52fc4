import type { PluginFailure } from "../plugin/failure.ts";
import { PluginHost } from "../plugin/plugin-host.ts";
import type { Invocation } from "./command.ts";

/** The plugins as a command in this process has them; `onFailure` hears of those that fail while they are used. */
export function openPluginHost(
  { directories }: Pick<Invocation, "directories">,
  onFailure: (failure: PluginFailure) => void = () => {},
): PluginHost {
  return new PluginHost({
    builtIns: async () => (await import("../../plugins/index.ts")).BUILT_IN_PLUGINS,
    directories,
    executable: process.execPath,
    onFailure,
  });
}
