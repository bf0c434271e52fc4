import type * as v from "valibot";
import { invalidInput, type NuthatchError } from "../errors.ts";
import { nearest } from "./nearest.ts";

/** What is wrong with the input; a value in a list is named by its place, such as `cells[1].code`. */
export function inputError(found: v.BaseIssue<unknown>): NuthatchError {
  const { issue, path } = innermost(found, keysOf(found));
  const parameter = formatPath(path);
  if (issue.received === "undefined") return invalidInput(`${parameter} is required`, parameter);
  return invalidInput(`${parameter} must be ${expectation(issue)}`, parameter, hintFor(issue));
}

/** A parameter that the tool does not have; `names` are those it has, and `aliases` what else is taken. */
export function unknownParameter(of: string, typed: string, names: string[], aliases: string[]): NuthatchError {
  const near = nearest(typed, [...names, ...aliases]);
  const hint = near === undefined ? `the parameters are ${names.join(", ")}` : `did you mean ${near}?`;
  return invalidInput(`unknown parameter "${typed}" of ${of}`, typed, hint);
}

type Keys = (string | number)[];

/** Of what none of a union's options takes, the issue that lies deepest: the option that was meant came that far. */
function innermost(issue: v.BaseIssue<unknown>, path: Keys): { issue: v.BaseIssue<unknown>; path: Keys } {
  const nested = (issue.issues ?? []).map((inner) => innermost(inner, [...path, ...keysOf(inner)]));
  return nested.reduce((best, one) => (one.path.length > best.path.length ? one : best), { issue, path });
}

function keysOf(issue: v.BaseIssue<unknown>): Keys {
  return (issue.path ?? []).map(({ key }) => key as string | number);
}

function formatPath(path: Keys): string {
  const names = path.map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`)).join("");
  return names.replace(/^\./, "") || "parameters";
}

/** A schema's own message says more than the name of its type, and a length more than the number it is. */
function expectation(issue: v.BaseIssue<unknown>): string {
  if (issue.type === "min_length" || issue.type === "non_empty") return issue.message;
  const expected =
    issue.kind === "validation"
      ? issue.message
      : (issue.expected ?? "of another type").replace(/^\((.*)\)$/, "$1").replaceAll(" | ", " or ");
  return `${nameKinds(expected)}, not ${nameKinds(issue.received)}`;
}

function nameKinds(text: string): string {
  return text.replace(/^(Array)\b|\bArray$/, "a list").replace(/^(Object)\b|\bObject$/, "an object");
}

/** The choice that is nearest to what was typed. */
function hintFor({ type, input, expected }: v.BaseIssue<unknown>): string | undefined {
  if (type !== "picklist" || typeof input !== "string") return undefined;
  const choices = [...(expected ?? "").matchAll(/"([^"]+)"/g)].map((match) => match[1] as string);
  const near = nearest(input, choices);
  return near === undefined ? undefined : `did you mean ${near}?`;
}
