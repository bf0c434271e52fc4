import { invalidInput } from "../errors.ts";

/** Values by name, as JSON has them; `{"$number": "1.0"}` is a number that must keep its spelling. */
export type Parameters = Record<string, unknown>;

/** Significant digits that every double keeps (DBL_DIG). */
const DOUBLE_DIGITS = 15;

/** How a language writes values, and what its names look like. */
interface Language {
  name: RegExp;
  assign(name: string, value: string): string;
  nothing: string;
  booleans: [no: string, yes: string];
  text(value: string): string;
  /** `nan`, `inf` and `-inf`, where the language has such numbers. */
  special?: Record<string, string>;
  list?(items: string[]): string;
  table?(entries: [name: string, value: string][]): string;
}

const PYTHON: Language = {
  name: /^[\p{L}_][\p{L}\p{N}_]*$/u,
  assign: (name, value) => `${name} = ${value}`,
  nothing: "None",
  booleans: ["False", "True"],
  text: quote,
  special: { nan: 'float("nan")', inf: 'float("inf")', "-inf": 'float("-inf")' },
  list: (items) => `[${items.join(", ")}]`,
  table: (entries) => `{${entries.map(([name, value]) => `${quote(name)}: ${value}`).join(", ")}}`,
};

const R: Language = {
  name: /^(?:[\p{L}]|\.(?!\d))[\p{L}\p{N}._]*$/u,
  assign: (name, value) => `${name} = ${value}`,
  nothing: "NULL",
  booleans: ["FALSE", "TRUE"],
  text: quote,
  special: { nan: "NaN", inf: "Inf", "-inf": "-Inf" },
  list: (items) => `list(${items.join(", ")})`,
  table: (entries) => `list(${entries.map(([name, value]) => `${quote(name)} = ${value}`).join(", ")})`,
};

const BASH: Language = {
  name: /^[A-Za-z_]\w*$/,
  assign: (name, value) => `${name}=${value}`,
  nothing: "",
  booleans: ["false", "true"],
  text: (value) => `'${value.replaceAll("'", `'"'"'`)}'`,
};

const JULIA: Language = {
  name: /^[\p{L}_][\p{L}\p{N}_!]*$/u,
  assign: (name, value) => `${name} = ${value}`,
  nothing: "nothing",
  booleans: ["false", "true"],
  text: (value) => quote(value).replaceAll("$", "\\$"),
  special: { nan: "NaN", inf: "Inf", "-inf": "-Inf" },
  list: (items) => `[${items.join(", ")}]`,
  table: (entries) => `Dict(${entries.map(([name, value]) => `${quote(name)} => ${value}`).join(", ")})`,
};

const LANGUAGES: Record<string, Language> = { python: PYTHON, r: R, bash: BASH, julia: JULIA };

/**
 * The source of a cell that sets parameters, one assignment a line under the comment that Papermill writes. Throws
 * `invalid_input` for a name or a value that the language does not have, and for a language that is not known here.
 */
export function parameterSource(parameters: Parameters, language: string): string {
  const known = LANGUAGES[language.toLowerCase()];
  if (known === undefined) {
    const hint = `parameters can be set in ${Object.keys(LANGUAGES).join(", ")}; for others, edit the cell that sets them`;
    throw invalidInput(`parameters: the notebook's language is "${language}"`, "parameters", hint);
  }
  const lines = Object.entries(parameters).map(([name, value]) => {
    if (!known.name.test(name)) throw invalidInput(`parameters: "${name}" is no name in ${language}`, "parameters");
    return known.assign(name, writeValue(value, known, name));
  });
  return ["# Parameters", ...lines, ""].join("\n");
}

function writeValue(value: unknown, language: Language, name: string): string {
  const refused = (what: string) =>
    invalidInput(`parameters: ${name} is ${what}, which the language cannot hold`, name);
  if (value === null) return language.nothing;
  if (typeof value === "string") return language.text(value);
  if (typeof value === "boolean") return language.booleans[Number(value) as 0 | 1];
  if (typeof value === "number") return isExact(value) ? String(value) : throwIt(roundedNumber(value, name));
  const number = spelledNumber(value);
  if (number !== undefined) return writeNumber(number, language) ?? throwIt(refused(number));
  if (Array.isArray(value)) {
    const items = value.map((item) => writeValue(item, language, name));
    return language.list?.(items) ?? throwIt(refused("a list"));
  }
  const entries = Object.entries(value as object).map(([key, item]): [string, string] => [
    key,
    writeValue(item, language, name),
  ]);
  return language.table?.(entries) ?? throwIt(refused("an object"));
}

/** A JSON number is read as a double, and of a whole number that is too long for one the last digits are others. */
function isExact(value: number): boolean {
  const digits = String(value)
    .replace(/e.*|\D/g, "")
    .replace(/0+$/, "");
  return !Number.isInteger(value) || Number.isSafeInteger(value) || digits.length <= DOUBLE_DIGITS;
}

function roundedNumber(value: number, name: string): Error {
  const hint = `write it as {"$number": "..."}, with all of its digits`;
  return invalidInput(`parameters: ${name} is about ${value}, and JSON has no more of its digits`, name, hint);
}

/** The text of `{"$number": text}`; undefined for any other value. */
function spelledNumber(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || Object.keys(value).join() !== "$number") return undefined;
  const text = (value as { $number: unknown }).$number;
  return typeof text === "string" ? text.trim().toLowerCase() : undefined;
}

function writeNumber(text: string, { special }: Language): string | undefined {
  if (/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/.test(text)) return text;
  return special?.[text.replace(/^\+/, "").replace("infinity", "inf")];
}

function throwIt(error: Error): never {
  throw error;
}

/** A string literal that means the same in Python, R and Julia. */
function quote(text: string): string {
  const escapes: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\", '"': '\\"' };
  return `"${text.replace(/[\\"\x00-\x1f\x7f]/g, (found) => escapes[found] ?? `\\x${hex(found)}`)}"`;
}

function hex(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(2, "0");
}
