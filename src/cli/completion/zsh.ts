import type { OptionSpec } from "../arguments.ts";
import { type CompletionTable, flagsOf, quote } from "./table.ts";

/** The completion for zsh, as a file `_nuthatch` in `$fpath` or sourced after `compinit`. */
export function zshCompletion({ commands, options, valuedFlags, valueChoices, wordChoices }: CompletionTable): string {
  const own = commands.filter((command) => command.options.length > 0);
  return `#compdef nuthatch
# zsh completion for nuthatch; load it with: source <(nuthatch completion zsh)
_nuthatch() {
  local command= index position=0
  local -a entries
  for ((index = 2; index < CURRENT; index++)); do
    case $words[index] in
      (${valuedFlags.join("|")}) ((index++)) ;;
      (-*) ;;
      (*) if [[ -z $command ]]; then command=$words[index]; else ((position++)); fi ;;
    esac
  done
  case "$command:$words[CURRENT-1]" in
    ${valueChoices.map(({ command, flags, choices }) => `(${pattern(command, flags)}) ${offer(choices)}; return ;;`).join("\n    ")}
    (${pattern("*", valuedFlags)}) _files; return ;;
  esac
  if [[ $words[CURRENT] == -* ]]; then
    entries=(
      ${optionEntries(options)}
    )
    case $command in
      ${own.map((command) => `(${command.name}) entries+=(${optionEntries(command.options)}) ;;`).join("\n      ")}
    esac
    _describe -o option entries
    return
  fi
  case "$command:$position" in
    (:0)
      entries=(
        ${commands.map(({ name, summary }) => quote(`${name}:${summary}`)).join("\n        ")}
      )
      _describe command entries ;;
    ${wordChoices.map(({ command, position, choices }) => `(${command}:${position}) ${offer(choices)} ;;`).join("\n    ")}
    (*) _files ;;
  esac
}
if [[ $funcstack[1] == _nuthatch ]]; then _nuthatch "$@"; else compdef _nuthatch nuthatch; fi
`;
}

function pattern(command: string, flags: string[]): string {
  return flags.map((flag) => `${command}:${flag}`).join("|");
}

function offer(choices: string[]): string {
  return `entries=(${choices.join(" ")}); _describe value entries`;
}

function optionEntries(options: OptionSpec[]): string {
  return options
    .flatMap((option) => flagsOf(option).map((flag) => quote(`${flag}:${option.summary}`)))
    .join("\n      ");
}
