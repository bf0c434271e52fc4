import { TOOLS } from "../../tools/list.ts";
import { NOTEBOOK_ACTIONS } from "../../tools/notebook.ts";
import type { OptionSpec } from "../arguments.ts";
import type { Command } from "../command.ts";
import { COMMANDS, GLOBAL_OPTIONS, SETTING_OPTIONS } from "../commands.ts";

/** What a shell has to know about a command: its own options, and the choices for each of its words (none: a file). */
export interface CommandEntry {
  name: string;
  summary: string;
  options: OptionSpec[];
  words: string[][];
}

/** Everything that a completion script is made from, taken from the same table as the help. */
export interface CompletionTable {
  commands: CommandEntry[];
  /** The options of every command, settings included. */
  options: OptionSpec[];
  /** All flags that take a value. */
  valuedFlags: string[];
  /** Options whose value is one of a few, and the command that they belong to (`*`: any). */
  valueChoices: { command: string; flags: string[]; choices: string[] }[];
  /** Words of commands that are one of a few; `position` counts from 0 after the command's name. */
  wordChoices: { command: string; position: number; choices: string[] }[];
}

/** Reads the command table. */
export function completionTable(): CompletionTable {
  const commands = COMMANDS.map(entryOf);
  const options = [...GLOBAL_OPTIONS, ...SETTING_OPTIONS];
  const owned = commands.flatMap(({ name, options }) => options.map((option) => ({ command: name, option })));
  const all = [...options.map((option) => ({ command: "*", option })), ...owned];
  return {
    commands,
    options,
    valuedFlags: [...new Set(all.flatMap(({ option }) => (option.value ? flagsOf(option) : [])))],
    valueChoices: all
      .map(({ command, option }) => ({ command, flags: flagsOf(option), choices: choicesOf(option.value) }))
      .filter(({ choices }) => choices.length > 0),
    wordChoices: commands
      .flatMap(({ name, words }) => words.map((choices, position) => ({ command: name, position, choices })))
      .filter(({ choices }) => choices.length > 0),
  };
}

/** `--name` and, where there is one, `-n`. */
export function flagsOf(option: OptionSpec): string[] {
  return [`--${option.name}`, ...(option.short ? [`-${option.short}`] : [])];
}

/** The values that an option or a word allows, as its placeholder spells them (`bash|zsh|fish`); none for free text. */
export function choicesOf(placeholder: string | undefined): string[] {
  if (placeholder === "tool") return [...TOOLS.keys()];
  if (placeholder === "action") return [...NOTEBOOK_ACTIONS];
  return placeholder?.includes("|") ? placeholder.split("|") : [];
}

/** Text in single quotes for a POSIX shell. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function entryOf(command: Command): CommandEntry {
  const { name, summary, options } = command;
  const placeholders = [...command.usage.matchAll(/[<[]([^\]>]+)[\]>]/g)].map((match) => match[1] as string);
  const words = placeholders.filter((word) => !word.startsWith("-")).map(choicesOf);
  return { name, summary, options, words };
}
