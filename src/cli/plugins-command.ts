import { resolve } from "node:path";
import { invalidInput } from "../errors.ts";
import { logLine } from "../log.ts";
import type { PluginFailure } from "../plugin/failure.ts";
import { findNamedPlugins } from "../plugin/find-plugins.ts";
import { loadPlugins, type PluginInfo } from "../plugin/load-plugins.ts";
import { findUntrustedProject } from "../plugin/trust.ts";
import { EXIT, type Invocation } from "./command.ts";
import { openPluginHost } from "./plugin-host.ts";
import { writeJson, writeOut } from "./standard-output.ts";

/** `nuthatch plugins [list|check <path>]`: what is loaded and what failed; a failure of a checked path is status 1. */
export async function runPlugins(invocation: Invocation): Promise<number> {
  const [action = "list", path] = invocation.positionals;
  if (action === "list") {
    if (path !== undefined) throw invalidInput(`unexpected word "${path}"`, "path", "nuthatch plugins check <path>");
    report(await openPluginHost(invocation).forCall(invocation), invocation.json);
    const project = findUntrustedProject(invocation.directories.state, invocation.cwd);
    if (project !== undefined)
      logLine(`nothing of ${project}/.nuthatch is loaded until you trust it: nuthatch trust '${project}'`);
    return EXIT.done;
  }
  if (action !== "check")
    throw invalidInput(`unknown action "${action}" of plugins`, "action", "the actions are list and check");
  if (path === undefined)
    throw invalidInput("plugins check needs a path", "path", "nuthatch plugins check my-plugin.ts");
  const loaded = await loadPlugins({ builtIns: [], ...findNamedPlugins(resolve(invocation.cwd, path)) });
  if (loaded.plugins.length + loaded.failed.length === 0) throw invalidInput(`there is no plugin in ${path}`, "path");
  report(loaded, invocation.json);
  return loaded.failed.length === 0 ? EXIT.done : EXIT.failed;
}

function report({ plugins, failed }: { plugins: PluginInfo[]; failed: PluginFailure[] }, json: boolean): void {
  if (json) writeJson({ plugins, failed });
  else writeOut([...plugins.map(pluginLine), ...failed.map(failureLine)].join(""));
}

function pluginLine({ name, source, mime, renderers, hooks }: PluginInfo): string {
  const parts = [...mime, ...renderers.map((type) => `renders ${type}`), ...hooks.map((hook) => `hook ${hook}`)];
  return `${name} (${source}): ${parts.join(", ")}\n`;
}

function failureLine({ source, message, line }: PluginFailure): string {
  return `! ${source}${line === undefined ? "" : `:${line}`}: ${message}\n`;
}
