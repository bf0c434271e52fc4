import { type EscapeStyle, stringToken } from "./string-token.ts";

/** How a value that spans lines is laid out in a file. */
export interface ValueLayout {
  /** The line break and indentation of the line on which the value begins; empty where everything stands on one line. */
  line: string;
  /** What one level more is indented by. */
  step: string;
  /** From a key to its value. */
  colon: string;
  escapes: EscapeStyle;
}

/** Writes any value as JSON in the file's layout, with sorted keys as nbformat writes them; `NaN` becomes null. */
export function valueToken(value: unknown, layout: ValueLayout): string {
  if (typeof value === "string") return stringToken(value, layout.escapes);
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const inner = { ...layout, line: layout.line + layout.step };
  if (Array.isArray(value)) {
    return bracket(
      "[",
      value.map((item) => valueToken(item, inner)),
      "]",
      layout,
    );
  }
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${stringToken(key, layout.escapes)}${layout.colon}${valueToken(member, inner)}`);
  return bracket("{", members, "}", layout);
}

function bracket(open: string, tokens: string[], close: string, { line, step, colon }: ValueLayout): string {
  if (tokens.length === 0) return open + close;
  if (line === "") return open + tokens.join(colon.endsWith(" ") ? ", " : ",") + close;
  return `${open}${line}${step}${tokens.join(`,${line}${step}`)}${line}${close}`;
}
