import * as v from "valibot";
import { invalidInput } from "../errors.ts";
import { inputError, unknownParameter } from "./input-error.ts";
import type { Tool } from "./tool.ts";

/** What is needed of a tool to check its input. */
type InputRules<Schema extends v.GenericSchema> = Pick<Tool<Schema>, "name" | "input" | "aliases" | "itemAliases">;

/**
 * Reads a call's parameters by its tool's schema, the one place where input is checked. Aliases, numbers and booleans written
 * as text, and null for "not given" are taken as models write them. Throws `invalid_input`, which names the parameter.
 */
export function readInput<Schema extends v.GenericSchema>(
  tool: InputRules<Schema>,
  input: unknown,
): v.InferOutput<Schema> {
  if (!isObject(input)) throw invalidInput(`the parameters of ${tool.name} must be one JSON object`, "parameters");
  const parsed = v.safeParse(tool.input, readValues(tool, input));
  if (parsed.success) return parsed.output;
  throw inputError(parsed.issues[0]);
}

/** The values under the names that the schema has, as near to its types as they can be taken. */
function readValues(rules: InputRules<v.GenericSchema>, input: Record<string, unknown>): Record<string, unknown> {
  const entries = "entries" in rules.input ? (rules.input.entries as Record<string, v.GenericSchema>) : {};
  const given = renameParameters(rules, Object.keys(entries), input);
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const schema = entries[name] as v.GenericSchema;
      const aliases = rules.itemAliases?.[name];
      const typed = readText(schema, value);
      const listed = typeof typed === "string" ? (readListText(schema, name, typed, aliases) ?? typed) : typed;
      return [name, readItems(schema, name, listed, aliases)];
    }),
  );
}

/** The objects of a list, each read as parameters are; one object stands for a list of it. */
function readItems(schema: v.GenericSchema, name: string, value: unknown, aliases: Record<string, string> | undefined) {
  const item = aliases === undefined ? undefined : itemOf(schema);
  if (item === undefined || typeof value !== "object") return value;
  const items = Array.isArray(value) ? value : [value];
  return items.map((one, index) =>
    isObject(one) ? readValues({ name: `${name}[${index}]`, input: item, aliases }, one) : one,
  );
}

/** The schema of the objects that a list may hold. */
function itemOf(schema: v.GenericSchema): v.GenericSchema | undefined {
  if ("wrapped" in schema) return itemOf(schema.wrapped as v.GenericSchema);
  const kinds = kindsOf(schema).filter((kind) => "item" in kind);
  return kinds.flatMap((kind) => kindsOf(kind.item as v.GenericSchema)).find((kind) => "entries" in kind);
}

/** What a union is made of; any other schema is of one kind. */
function kindsOf(schema: v.GenericSchema): v.GenericSchema[] {
  return schema.type === "union" && "options" in schema ? (schema.options as v.GenericSchema[]) : [schema];
}

function renameParameters(rules: InputRules<v.GenericSchema>, names: string[], input: Record<string, unknown>) {
  const { aliases = {} } = rules;
  const given: Record<string, unknown> = {};
  const spelled: Record<string, string> = {};
  for (const [typed, value] of Object.entries(input)) {
    const name = names.includes(typed) ? typed : Object.hasOwn(aliases, typed) ? aliases[typed] : undefined;
    if (name === undefined) throw unknownParameter(rules.name, typed, names, Object.keys(aliases));
    if (value === null) continue;
    if (name in given && given[name] !== value) {
      throw invalidInput(`${spelled[name]} and ${typed} are the same parameter, and their values differ`, name);
    }
    given[name] = value;
    spelled[name] = typed;
  }
  return given;
}

/** A number, a boolean, a list or an object that came as text, where the schema wants one. */
function readText(schema: v.GenericSchema, value: unknown): unknown {
  if (typeof value !== "string") return value;
  const type = innerType(schema);
  if (type === "number" && /^\s*[-+]?(\d+\.?\d*|\.\d+)\s*$/.test(value)) return Number(value);
  if (type === "boolean" && /^(true|false)$/i.test(value.trim())) return value.trim().toLowerCase() === "true";
  return (type === "array" && /^\s*[[{]/.test(value)) || type === "record" ? parseJson(value) : value;
}

/** The list that a text spells where the schema takes a text or a list. Code in brackets may be JSON too, but is no list of cells. */
function readListText(
  schema: v.GenericSchema,
  name: string,
  text: string,
  aliases: Record<string, string> | undefined,
): unknown[] | undefined {
  if (innerType(schema) !== "union" || !/^\s*\[/.test(text)) return undefined;
  const list = parseJson(text);
  if (!Array.isArray(list) || (aliases !== undefined && !list.every(isObject))) return undefined;
  try {
    return v.is(schema, readItems(schema, name, list, aliases)) ? list : undefined;
  } catch {
    return undefined;
  }
}

/** The text itself where it is no JSON; the schema refuses it then. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function innerType(schema: v.GenericSchema): string {
  return "wrapped" in schema ? innerType(schema.wrapped as v.GenericSchema) : schema.type;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
