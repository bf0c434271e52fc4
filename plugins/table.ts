import { definePlugin, type Json, renderTable } from "nuthatch/plugin";

const MAX_ROWS = 1000;

/** Rows of text cells under a head; `total` counts all rows, those that are left out as well. */
interface Rows {
  head: string[];
  rows: string[][];
  total: number;
}

/** Tables: `text/csv`, and DataFrames as pandas publishes them in the Table Schema form; of a long one the whole is a file. */
export default definePlugin({
  name: "table",
  mime: [
    {
      mime: "text/csv",
      rank: 65,
      capture: (data) => (typeof data === "string" ? asTable(readCsv(data), () => data, "text/csv") : undefined),
      text: (data) => (typeof data === "string" ? toMarkdown(readCsv(data)) : undefined),
    },
    {
      mime: "application/vnd.dataresource+json",
      rank: 65,
      capture: (data) => asTable(readDataResource(data), () => JSON.stringify(data), "application/json"),
      text: (data) => toMarkdown(readDataResource(data)),
    },
  ],
  renderers: [
    {
      type: "table",
      render({ data }, context) {
        const { head, rows, total } = data as Rows;
        const shown = rows.slice(0, context.expanded ? MAX_ROWS : 20);
        const lines = renderTable({ rows: [head, ...shown] }, context);
        if (total > shown.length) lines.push(context.theme.style("muted", `… ${total - shown.length} more rows`));
        return lines;
      },
    },
  ],
});

function asTable(data: Rows | undefined, whole: () => string, mimeType: string) {
  if (data === undefined) return undefined;
  const table = { type: "table", data };
  return data.total > data.rows.length ? { ...table, file: { content: whole(), mimeType } } : table;
}

/** RFC 4180: quoted fields may hold commas, quotes (doubled) and line breaks. */
function readCsv(text: string): Rows {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r?\n|$)/g)) {
    row.push(quoted?.replaceAll('""', '"') ?? plain ?? "");
    if (end === ",") continue;
    if (row.length > 1 || row[0] !== "") rows.push(row);
    row = [];
  }
  const [head = [], ...body] = rows;
  return { head, rows: body.slice(0, MAX_ROWS), total: body.length };
}

/** Frictionless Table Schema: `{schema: {fields: [{name}]}, data: [{name: value}]}`. */
function readDataResource(data: Json): Rows | undefined {
  if (!Array.isArray(data?.schema?.fields) || !Array.isArray(data.data)) return undefined;
  const head: string[] = data.schema.fields.map((field: Json) => String(field?.name));
  const rows = data.data.slice(0, MAX_ROWS).map((row: Json) => head.map((name) => cellText(row?.[name])));
  return { head, rows, total: data.data.length };
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function toMarkdown(table: Rows | undefined): string | undefined {
  if (table === undefined || table.head.length === 0) return undefined;
  const line = (cells: string[]) =>
    `| ${cells.map((cell) => cell.replace(/\|/g, "\\|").replace(/\s*\n\s*/g, " ")).join(" | ")} |`;
  const rows = [line(table.head), line(table.head.map(() => "---")), ...table.rows.map(line)];
  const hidden = table.total - table.rows.length;
  return rows.join("\n") + (hidden > 0 ? `\n\n${hidden} more rows` : "");
}
