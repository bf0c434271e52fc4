import * as v from "valibot";
import { invalidInput } from "../errors.ts";
import { nearest } from "./nearest.ts";
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
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    throw invalidInput(`the parameters of ${tool.name} must be one JSON object`, "parameters");
  }
  const entries = "entries" in tool.input ? (tool.input.entries as Record<string, v.GenericSchema>) : {};
  const given = renameParameters(tool, Object.keys(entries), input as Record<string, unknown>);
  const values = Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const schema = entries[name] as v.GenericSchema;
      return [name, readItems(schema, name, readText(schema, value), tool.itemAliases?.[name])];
    }),
  );
  const parsed = v.safeParse(tool.input, values);
  if (parsed.success) return parsed.output;
  throw inputError(parsed.issues[0]);
}

/** The objects of a list, each read as parameters are; one object stands for a list of it. */
function readItems(schema: v.GenericSchema, name: string, value: unknown, aliases: Record<string, string> | undefined) {
  const item = itemOf(schema);
  if (aliases === undefined || item === undefined || typeof value !== "object") return value;
  const items = Array.isArray(value) ? value : [value];
  return items.map((one, index) => readInput({ name: `${name}[${index}]`, input: item, aliases }, one));
}

/** The schema of a list's items. */
function itemOf(schema: v.GenericSchema): v.GenericSchema | undefined {
  if ("wrapped" in schema) return itemOf(schema.wrapped as v.GenericSchema);
  return "item" in schema ? (schema.item as v.GenericSchema) : undefined;
}

function renameParameters(tool: InputRules<v.GenericSchema>, names: string[], input: Record<string, unknown>) {
  const given: Record<string, unknown> = {};
  for (const [typed, value] of Object.entries(input)) {
    const name = names.includes(typed) ? typed : tool.aliases?.[typed];
    if (name === undefined) throw unknownParameter(tool, names, typed);
    if (value === null) continue;
    if (name in given && given[name] !== value) {
      throw invalidInput(`${name} is given twice, by ${typed} too, with different values`, name);
    }
    given[name] = value;
  }
  return given;
}

function unknownParameter(tool: InputRules<v.GenericSchema>, names: string[], typed: string) {
  const near = nearest(typed, [...names, ...Object.keys(tool.aliases ?? {})]);
  const hint = near === undefined ? `the parameters are ${names.join(", ")}` : `did you mean ${near}?`;
  return invalidInput(`unknown parameter "${typed}" of ${tool.name}`, typed, hint);
}

/** A number, a boolean, a list or an object that came as text, where the schema wants one. */
function readText(schema: v.GenericSchema, value: unknown): unknown {
  if (typeof value !== "string") return value;
  const type = innerType(schema);
  if (type === "number" && /^\s*[-+]?(\d+\.?\d*|\.\d+)\s*$/.test(value)) return Number(value);
  if (type === "boolean" && /^(true|false)$/i.test(value.trim())) return value.trim().toLowerCase() === "true";
  return (type === "array" && /^\s*[[{]/.test(value)) || type === "record" ? parseJson(value) : value;
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

function inputError(issue: v.BaseIssue<unknown>) {
  const parameter = v.getDotPath(issue) ?? "parameters";
  const isMissing = issue.received === "undefined";
  const message = isMissing
    ? `${parameter} is required`
    : `${parameter} must be ${expectation(issue)}, not ${issue.received}`;
  return invalidInput(message, parameter);
}

/** A schema's own message says more than the name of its type. */
function expectation(issue: v.BaseIssue<unknown>): string {
  if (issue.kind === "validation") return issue.message;
  return (issue.expected ?? "of another type").replace(/^\((.*)\)$/, "$1").replaceAll(" | ", " or ");
}
