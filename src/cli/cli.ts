import { isAbsolute, resolve } from "node:path";
import { errorMessage, invalidInput, type NuthatchError } from "../errors.ts";
import { divertConsole, logLine } from "../log.ts";
import { findDirectories } from "../paths.ts";
import { flagName, loadSettings, SETTING_NAMES } from "../settings.ts";
import { nearest } from "../tools/nearest.ts";
import { resultOfError } from "../tools/result.ts";
import { VERSION } from "../version.ts";
import { type ParsedArguments, parseArguments } from "./arguments.ts";
import { type Command, EXIT, failureStatus, type Invocation } from "./command.ts";
import { COMMANDS, GLOBAL_OPTIONS, INTERNAL_COMMANDS, SETTING_OPTIONS } from "./commands.ts";
import { formatHelp } from "./help.ts";
import { writeJson, writeOut } from "./standard-output.ts";

/** Runs the command line and returns its exit status. An error is told once: on standard error, and as JSON where asked. */
export async function runCli(words: readonly string[]): Promise<number> {
  divertConsole();
  try {
    return await dispatch(words);
  } catch (error) {
    const known = error instanceof Error && "code" in error && error.name === "NuthatchError";
    const wantsJson = words.includes("--json") || words.find((word) => !word.startsWith("-")) === "call";
    if (wantsJson) writeJson(resultOfError(error));
    else reportError(error, known);
    return known ? failureStatus((error as NuthatchError).code) : EXIT.internal;
  }
}

async function dispatch(words: readonly string[]): Promise<number> {
  const command = findCommand(words);
  const options = [...(command?.options ?? []), ...GLOBAL_OPTIONS, ...SETTING_OPTIONS];
  const parsed = parseArguments(words, options);
  if (parsed.switches.has("version")) {
    writeOut(`${VERSION}\n`);
    return EXIT.done;
  }
  if (parsed.switches.has("help") || (command === undefined && parsed.positionals.length === 0)) {
    writeOut(formatHelp(command));
    return EXIT.done;
  }
  if (command === undefined) throw unknownCommand(parsed.positionals[0] as string);
  parsed.positionals.shift();
  checkWords(command, parsed.positionals);
  const run = await command.load();
  return await run(makeInvocation(parsed));
}

/** The command is the first word that is neither an option nor an option's value. */
function findCommand(words: readonly string[]): Command | undefined {
  const all = [...GLOBAL_OPTIONS, ...SETTING_OPTIONS];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] as string;
    if (!word.startsWith("-")) return [...COMMANDS, ...INTERNAL_COMMANDS].find((command) => command.name === word);
    if (all.some((option) => option.value && word === `--${option.name}`)) index++;
  }
  return undefined;
}

function unknownCommand(word: string): NuthatchError {
  const near = nearest(
    word,
    COMMANDS.map((command) => command.name),
  );
  return invalidInput(
    `unknown command "${word}"`,
    "command",
    near ? `did you mean ${near}?` : "nuthatch --help lists the commands",
  );
}

function checkWords(command: Command, positionals: string[]): void {
  const [least, most] = command.words;
  const usage = `usage: nuthatch ${command.name} ${command.usage}`;
  if (positionals.length < least) throw invalidInput(`nuthatch ${command.name} needs more words`, command.name, usage);
  if (positionals.length > most) throw invalidInput(`unexpected word "${positionals[most]}"`, command.name, usage);
}

function makeInvocation(parsed: ParsedArguments): Invocation {
  const environment = { ...process.env };
  const directories = findDirectories(environment);
  const flags = Object.fromEntries(
    SETTING_NAMES.flatMap((name) => {
      const value = parsed.values[flagName(name)];
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const { settings, warnings } = loadSettings({ flags, environment, configDirectory: directories.config });
  for (const warning of warnings) logLine(`warning: ${warning}`);
  const cwd = parsed.values.cwd;
  return {
    ...parsed,
    cwd: cwd === undefined ? process.cwd() : isAbsolute(cwd) ? cwd : resolve(cwd),
    environment,
    directories,
    settings,
    json: parsed.switches.has("json"),
    inProcess: parsed.switches.has("in-process"),
    ...(parsed.values.session === undefined ? {} : { session: parsed.values.session }),
  };
}

function reportError(error: unknown, known: boolean): void {
  logLine(`error: ${errorMessage(error)}`);
  if (known && (error as NuthatchError).hint) logLine(`hint: ${(error as NuthatchError).hint}`);
  if (!known && process.env.NUTHATCH_DEBUG && error instanceof Error) logLine(error.stack ?? "");
}
