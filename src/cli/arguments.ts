import { invalidInput } from "../errors.ts";
import { nearest } from "../tools/nearest.ts";

/** An option of a command line. `value` names its argument in the help; without one it is a switch. */
export interface OptionSpec {
  name: string;
  short?: string;
  value?: string;
  /** Names a second argument; an option that has one may be given several times. */
  second?: string;
  summary: string;
}

/** A command line taken apart; every value is the text exactly as it was typed. */
export interface ParsedArguments {
  positionals: string[];
  values: Record<string, string>;
  /** What options with two arguments were given, in order. */
  pairs: Record<string, [first: string, second: string][]>;
  switches: Set<string>;
}

/**
 * Splits words into positionals and options. The word after an option that takes a value is that value, whatever it looks
 * like; a word such as `-1` is no option. Argument libraries turn `007` into 7 and `-1` into an option, hence our own.
 * Throws `invalid_input` for an unknown option, with the nearest name, and for a missing or superfluous value.
 */
export function parseArguments(words: readonly string[], options: readonly OptionSpec[]): ParsedArguments {
  const parsed: ParsedArguments = { positionals: [], values: {}, pairs: {}, switches: new Set() };
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === "--") {
      parsed.positionals.push(...rest.splice(0));
    } else if (!isOption(word)) {
      parsed.positionals.push(word);
    } else {
      takeOption(word, rest, options, parsed);
    }
  }
  return parsed;
}

function isOption(word: string): boolean {
  return word.length > 1 && word.startsWith("-") && !/^-[\d.]/.test(word);
}

function takeOption(word: string, rest: string[], options: readonly OptionSpec[], parsed: ParsedArguments): void {
  const equals = word.startsWith("--") ? word.indexOf("=") : -1;
  const typed = equals < 0 ? word : word.slice(0, equals);
  const option = options.find((spec) => typed === `--${spec.name}` || (spec.short && typed === `-${spec.short}`));
  if (option === undefined) throw unknownOption(typed, options);
  if (option.value === undefined) {
    if (equals >= 0) throw invalidInput(`option ${typed} takes no value`, option.name);
    parsed.switches.add(option.name);
    return;
  }
  const value = equals < 0 ? rest.shift() : word.slice(equals + 1);
  const second = option.second === undefined ? undefined : rest.shift();
  if (value === undefined || (option.second !== undefined && second === undefined)) {
    throw invalidInput(`option ${typed} needs a value: ${typed} ${argumentsOf(option)}`, option.name);
  }
  if (second === undefined) parsed.values[option.name] = value;
  else parsed.pairs[option.name] = [...(parsed.pairs[option.name] ?? []), [value, second]];
}

/** The arguments of an option as the help shows them. */
export function argumentsOf({ value, second }: OptionSpec): string {
  return [value, second].flatMap((name) => (name === undefined ? [] : [`<${name}>`])).join(" ");
}

function unknownOption(typed: string, options: readonly OptionSpec[]) {
  const near = nearest(
    typed,
    options.map((spec) => `--${spec.name}`),
  );
  return invalidInput(
    `unknown option ${typed}`,
    typed,
    near ? `did you mean ${near}?` : "nuthatch --help lists the options; a name that begins with - stands after --",
  );
}
