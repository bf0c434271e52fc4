import type { MimeBundle } from "../../output/model.ts";

/** An output of a notebook file in one form, whatever version of nbformat wrote it. */
export type StoredOutput =
  | { kind: "stream"; name: string; text: string }
  | { kind: "bundle"; data: MimeBundle; metadata: Record<string, unknown>; count: number | null }
  | { kind: "error"; name: string; value: string; traceback: string }
  | { kind: "unknown"; type: string; value: unknown };

/** The MIME types that nbformat 3 had short names for. */
const OLD_KEYS: Record<string, string> = {
  text: "text/plain",
  html: "text/html",
  svg: "image/svg+xml",
  png: "image/png",
  jpeg: "image/jpeg",
  latex: "text/latex",
  json: "application/json",
  javascript: "application/javascript",
  pdf: "application/pdf",
};

/** Reads outputs as nbformat 4 and 3 store them; streams of one name that follow each other are one. Never fails. */
export function readStoredOutputs(outputs: readonly unknown[]): StoredOutput[] {
  const read: StoredOutput[] = [];
  for (const value of outputs) {
    const output = readOutput(value);
    const last = read.at(-1);
    if (output.kind === "stream" && last?.kind === "stream" && last.name === output.name) last.text += output.text;
    else read.push(output);
  }
  return read;
}

function readOutput(value: unknown): StoredOutput {
  const output = isRecord(value) ? value : {};
  const type = textOf(output.output_type);
  switch (type) {
    case "stream":
      return { kind: "stream", name: textOf(output.name ?? output.stream), text: textOf(output.text) };
    case "execute_result":
    case "display_data":
      return bundleOf(isRecord(output.data) ? output.data : {}, output);
    case "pyout":
      return bundleOf(oldBundle(output), output);
    case "error":
    case "pyerr":
      return {
        kind: "error",
        name: textOf(output.ename),
        value: textOf(output.evalue),
        traceback: Array.isArray(output.traceback) ? output.traceback.map(textOf).join("\n") : textOf(output.traceback),
      };
    default:
      return { kind: "unknown", type, value };
  }
}

function bundleOf(data: MimeBundle, output: Record<string, unknown>): StoredOutput {
  const metadata = isRecord(output.metadata) ? output.metadata : {};
  const count = output.execution_count ?? output.prompt_number;
  const old = Object.keys(data).length === 0 ? oldBundle(output) : data;
  return { kind: "bundle", data: old, metadata, count: typeof count === "number" ? count : null };
}

function oldBundle(output: Record<string, unknown>): MimeBundle {
  return Object.fromEntries(
    Object.keys(OLD_KEYS).flatMap((key) => (key in output ? [[OLD_KEYS[key] as string, output[key]]] : [])),
  );
}

/** Text as nbformat stores it: one string, or a list of lines (nbformat 4, "multiline_string"). */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return Array.isArray(value) ? value.map((line) => (typeof line === "string" ? line : "")).join("") : "";
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
