import { readFileSync } from "node:fs";
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
import { reportRefusal } from "./report-refusal.ts";
import { writeJson, writeOut } from "./standard-output.ts";

/** Runs the command line and returns its exit status. An error is told once: on standard error, and as JSON where asked. */
export async function runCli(words: readonly string[]): Promise<number> {
  divertConsole();
  try {
    return await dispatch(words);
  } catch (error) {
    const known = error instanceof Error && "code" in error && error.name === "NuthatchError";
    const code = known ? (error as NuthatchError).code : "internal_error";
    const wantsJson = words.includes("--json") || findCommand(words)?.name === "call";
    if (wantsJson && code !== "output_failed") writeJson(resultOfError(error));
    else reportError(error, known);
    return failureStatus(code);
  }
}

async function dispatch(typed: readonly string[]): Promise<number> {
  refuseBrokenText(typed);
  const words = typed[0] === "help" ? [...typed.slice(1), "--help"] : typed;
  const command = findCommand(words);
  const options = [...(command?.options ?? []), ...GLOBAL_OPTIONS, ...SETTING_OPTIONS];
  const parsed = parseArguments(words, options);
  if (parsed.switches.has("version")) {
    writeOut(`${VERSION}\n`);
    return EXIT.done;
  }
  const [word] = parsed.positionals;
  if (command === undefined && word !== undefined) throw unknownCommand(word);
  if (command === undefined || parsed.switches.has("help")) {
    writeOut(formatHelp(command));
    return EXIT.done;
  }
  parsed.positionals.shift();
  checkWords(command, parsed.positionals);
  const run = await command.load();
  return await run(makeInvocation(parsed));
}

/** What stands in for bytes that are no text must not be taken for what was typed. */
function refuseBrokenText(words: readonly string[]): void {
  if (!words.some((word) => word.includes("\uFFFD")) || process.platform !== "linux") return;
  const { isUtf8 } = process.getBuiltinModule("node:buffer");
  if (!isUtf8(readFileSync("/proc/self/cmdline"))) throw invalidInput("an argument is not UTF-8 text", "arguments");
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
  const usage = `usage: nuthatch ${command.name} ${command.usage}`.trimEnd();
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
  reportRefusal(errorMessage(error), known ? (error as NuthatchError).hint : undefined);
  if (!known && process.env.NUTHATCH_DEBUG && error instanceof Error) logLine(error.stack ?? "");
}
