import { VERSION } from "../version.ts";
import { argumentsOf, type OptionSpec } from "./arguments.ts";
import type { Command } from "./command.ts";
import { COMMANDS, GLOBAL_OPTIONS, SETTING_OPTIONS } from "./commands.ts";

/** The help of one command, or of all of them. */
export function formatHelp(command?: Command): string {
  return command ? commandHelp(command) : overview();
}

function overview(): string {
  const rows = COMMANDS.map((command): [string, string] => [
    `${command.name} ${command.usage}`.trim(),
    command.summary,
  ]);
  return [
    `nuthatch ${VERSION} - edits notebooks, runs Jupyter kernels, serves both to AI agents`,
    "",
    "Usage: nuthatch <command> [options]",
    "",
    "Commands:",
    ...columns(rows),
    "",
    "Options for all commands:",
    ...columns(GLOBAL_OPTIONS.map(optionRow)),
    "",
    "Settings, also as NUTHATCH_<NAME> and in config.json:",
    `  ${SETTING_OPTIONS.map((option) => `--${option.name}`).join(" ")}`,
    "",
    "nuthatch <command> --help shows one command.",
    "",
  ].join("\n");
}

function commandHelp(command: Command): string {
  const options = command.options.length === 0 ? [] : ["", "Options:", ...columns(command.options.map(optionRow))];
  return [
    `Usage: nuthatch ${command.name} ${command.usage}`.trimEnd(),
    "",
    command.summary,
    ...options,
    "",
    "nuthatch --help shows the options for all commands.",
    "",
  ].join("\n");
}

function optionRow(option: OptionSpec): [string, string] {
  const short = option.short ? `-${option.short}, ` : "";
  return [`${short}--${option.name} ${argumentsOf(option)}`.trimEnd(), option.summary];
}

function columns(rows: [string, string][]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
