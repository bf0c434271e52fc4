import { cleanName } from "./clean.ts";
import { renderJsonTree } from "./json-tree.ts";
import type { RenderContext } from "./renderer.ts";
import { truncate } from "./text.ts";

/** One status event, `{op, ...}`: the operation, then its other fields as `name=value`, on one line. */
export function renderStatus(event: unknown, context: RenderContext): string[] {
  if (typeof event !== "object" || event === null || !("op" in event)) return renderJsonTree(event, context);
  const { op, ...fields } = event as Record<string, unknown>;
  const { theme, width } = context;
  const facts = Object.entries(fields).map(([name, value]) => `${cleanName(name)}=${fieldText(value)}`);
  return [
    truncate(
      `${theme.style("accent", cleanName(String(op)))} ${theme.style("muted", facts.join(" "))}`.trimEnd(),
      width,
    ),
  ];
}

function fieldText(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return cleanName(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}
