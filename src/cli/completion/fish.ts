import type { OptionSpec } from "../arguments.ts";
import { type CompletionTable, choicesOf, quote } from "./table.ts";

/** The completion for fish 3; words and values without choices are completed as files. */
export function fishCompletion({ commands, options }: CompletionTable): string {
  const lines = ["# fish completion for nuthatch; load it with: nuthatch completion fish | source"];
  for (const { name, summary } of commands) {
    lines.push(`complete -c nuthatch -n __fish_use_subcommand -f -a ${name} -d ${quote(summary)}`);
  }
  for (const option of options) lines.push(optionLine(option, ""));
  for (const command of commands) {
    const seen = `__fish_seen_subcommand_from ${command.name}`;
    for (const option of command.options) lines.push(optionLine(option, ` -n ${quote(seen)}`));
    for (const choices of command.words.filter((choices) => choices.length > 0)) {
      const words = choices.join(" ");
      const unless = `${seen}; and not __fish_seen_subcommand_from ${words}`;
      lines.push(`complete -c nuthatch -n ${quote(unless)} -f -a ${quote(words)}`);
    }
  }
  return `${lines.join("\n")}\n`;
}

function optionLine(option: OptionSpec, condition: string): string {
  const choices = choicesOf(option.value);
  const value = option.value === undefined ? "" : choices.length > 0 ? ` -x -a ${quote(choices.join(" "))}` : " -r";
  const short = option.short ? ` -s ${option.short}` : "";
  return `complete -c nuthatch${condition}${short} -l ${option.name}${value} -d ${quote(option.summary)}`;
}
