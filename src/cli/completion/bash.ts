import { type CompletionTable, flagsOf } from "./table.ts";

/** The completion for bash 3.2 and newer. Where it has nothing to offer bash completes a file. */
export function bashCompletion({ commands, options, valuedFlags, valueChoices, wordChoices }: CompletionTable): string {
  const own = commands.filter((command) => command.options.length > 0);
  return `# bash completion for nuthatch; load it with: source <(nuthatch completion bash)
_nuthatch() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]}
  local command= position=0 index words=
  for ((index = 1; index < COMP_CWORD; index++)); do
    case \${COMP_WORDS[index]} in
      ${valuedFlags.join("|")}) index=$((index + 1)) ;;
      -*) ;;
      *) if [[ -z $command ]]; then command=\${COMP_WORDS[index]}; else position=$((position + 1)); fi ;;
    esac
  done
  COMPREPLY=()
  case $command:$previous in
    ${valueChoices.map(({ command, flags, choices }) => `${pattern(command, flags)}) ${assign(choices)} ;;`).join("\n    ")}
    ${pattern("*", valuedFlags)}) return ;;
    *)
      if [[ $current == -* ]]; then
        ${assign(options.flatMap(flagsOf))}
        case $command in
          ${own.map(({ name, options }) => `${name}) words="$words ${options.flatMap(flagsOf).join(" ")}" ;;`).join("\n          ")}
        esac
      else
        case $command:$position in
          :0) ${assign(commands.map((command) => command.name))} ;;
          ${wordChoices.map(({ command, position, choices }) => `${command}:${position}) ${assign(choices)} ;;`).join("\n          ")}
        esac
      fi
      ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o bashdefault -o default -F _nuthatch nuthatch
`;
}

function pattern(command: string, flags: string[]): string {
  return flags.map((flag) => `${command}:${flag}`).join("|");
}

function assign(words: string[]): string {
  return `words='${words.join(" ")}'`;
}
