import { existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import * as v from "valibot";
import { errorMessage, NuthatchError } from "./errors.ts";

const least = (value: number) => v.minValue<number, number, string>(value, `${value} or more`);
const count = v.pipe(v.number(), v.integer("a whole number"), least(0));
const seconds = v.pipe(v.number(), least(0));

/** Every setting with its type and default. Times are seconds, sizes bytes, `maxImagePixels` the longer side. */
export const SettingsSchema = v.strictObject({
  kernel: v.optional(v.string(), "auto"),
  kernelMode: v.optional(v.picklist(["session", "per-call"]), "session"),
  maxSessions: v.optional(v.pipe(count, least(1)), 4),
  idleTimeout: v.optional(seconds, 300),
  warmKernels: v.optional(count, 1),
  gateway: v.optional(v.string(), "embedded"),
  gatewayToken: v.optional(v.string()),
  crashRetry: v.optional(v.picklist(["once", "never"]), "once"),
  prelude: v.optional(v.boolean(), true),
  maxOutputBytes: v.optional(count, 51200),
  maxImageBytes: v.optional(count, 1_000_000),
  maxImagePixels: v.optional(count, 2000),
  artifactMaxAge: v.optional(seconds, 7 * 24 * 3600),
  artifactMaxBytes: v.optional(count, 2 ** 30),
  plugins: v.optional(v.array(v.string()), []),
  python: v.optional(v.string()),
  environment: v.optional(
    v.strictObject({ allow: v.optional(v.array(v.string()), []), deny: v.optional(v.array(v.string()), []) }),
    { allow: [], deny: [] },
  ),
});

/** The settings of one call, complete. */
export type Settings = v.InferOutput<typeof SettingsSchema>;

/** The names of all settings; each is a flag (`--max-sessions`), a variable (`NUTHATCH_MAX_SESSIONS`) and a key of the file. */
export const SETTING_NAMES = Object.keys(SettingsSchema.entries) as (keyof Settings)[];

/** Variables with the prefix that are not settings. */
const OTHER_VARIABLES = new Set(["NUTHATCH_HOME", "NUTHATCH_DEBUG"]);

/** `maxSessions` -> `max-sessions`, the name of its flag. */
export function flagName(setting: string): string {
  return setting.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/**
 * Reads the settings: flags, then the environment, then `config.json` of the configuration directory, then the defaults.
 * Throws `invalid_settings`, which names the source, the key and what is allowed; unknown variables are `warnings`.
 */
export function loadSettings(sources: {
  flags?: Record<string, string>;
  environment?: Record<string, string | undefined>;
  configDirectory: string;
}): { settings: Settings; warnings: string[] } {
  const file = readConfigFile(join(sources.configDirectory, "config.json"));
  const { values: variables, warnings } = readVariables(sources.environment ?? {});
  const flags = readFlags(sources.flags ?? {});
  const parsed = v.safeParse(SettingsSchema, { ...file, ...variables, ...flags });
  if (!parsed.success) throw invalidSetting("the settings", parsed.issues[0]);
  return { settings: parsed.output, warnings };
}

function readConfigFile(path: string): Record<string, unknown> {
  // Asked first, because an exception costs a millisecond of every start.
  if (!existsSync(path)) return {};
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new NuthatchError({
      code: "invalid_settings",
      message: `cannot read ${path}: ${errorMessage(error)}`,
      cause: error,
    });
  }
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    throw new NuthatchError({
      code: "invalid_settings",
      message: `${path} is not JSON: ${errorMessage(error)}`,
      cause: error,
    });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new NuthatchError({ code: "invalid_settings", message: `${path}: the settings must be one JSON object` });
  }
  const parsed = v.safeParse(SettingsSchema, value);
  if (!parsed.success) throw invalidSetting(path, parsed.issues[0]);
  return value as Record<string, unknown>;
}

function readVariables(environment: Record<string, string | undefined>) {
  const values: Record<string, unknown> = {};
  const known = new Map(
    SETTING_NAMES.map((name) => [`NUTHATCH_${flagName(name).replaceAll("-", "_").toUpperCase()}`, name]),
  );
  const warnings: string[] = [];
  for (const [variable, text] of Object.entries(environment)) {
    if (!variable.startsWith("NUTHATCH_") || OTHER_VARIABLES.has(variable) || !text) continue;
    const name = known.get(variable);
    if (name === undefined) warnings.push(`unknown variable ${variable}`);
    else values[name] = readText(name, text, variable, delimiter);
  }
  return { values, warnings };
}

function readFlags(flags: Record<string, string>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(flags).map(([name, text]) => [
      name,
      readText(name as keyof Settings, text, `--${flagName(name)}`, ","),
    ]),
  );
}

/** Turns a flag's or a variable's text into its setting's type. */
function readText(name: keyof Settings, text: string, source: string, separator: string): unknown {
  const schema: v.GenericSchema = SettingsSchema.entries[name];
  const parsed = v.safeParse(schema, typedValue(name, text, separator));
  if (!parsed.success) throw invalidSetting(source, parsed.issues[0], name, text);
  return parsed.output;
}

function typedValue(name: keyof Settings, text: string, separator: string): unknown {
  if (name === "plugins") return text.split(separator).filter(Boolean);
  if (name === "prelude")
    return text === "true" || text === "1" ? true : text === "false" || text === "0" ? false : text;
  if (name === "environment") return parseJson(text);
  const example = v.getDefault(SettingsSchema.entries[name]);
  return typeof example === "number" && text.trim() !== "" ? Number(text) : text;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** `name` is the setting that an issue of its value alone belongs to, `value` what was typed for it. */
function invalidSetting(source: string, issue: v.BaseIssue<unknown>, name?: string, value?: string): NuthatchError {
  const key = [name, v.getDotPath(issue)].filter(Boolean).join(".");
  const isUnknown = issue.expected === "never";
  const what = isUnknown ? "is not a setting" : `must be ${expectation(issue)}, not ${value ?? issue.received}`;
  const names = key.startsWith("environment.") ? "environment.allow, environment.deny" : SETTING_NAMES.join(", ");
  return new NuthatchError({
    code: "invalid_settings",
    message: `${source}: "${key}" ${what}`,
    hint: isUnknown ? `the settings are ${names}` : "see the table of settings in the README",
    data: { source, key },
  });
}

function expectation(issue: v.BaseIssue<unknown>): string {
  if (issue.kind === "validation") return issue.message;
  if (issue.expected === "boolean") return "true or false";
  if (issue.expected === "Array") return "a list of texts";
  if (issue.expected === "Object") return 'an object with the lists "allow" and "deny"';
  return (issue.expected ?? "of another type").replace(/^\((.*)\)$/, "$1").replaceAll(" | ", " or ");
}
