import {
  cellMembers,
  findMember,
  type NotebookDocument,
  readElements,
  readMembers,
  readValue,
  type Span,
} from "./document.ts";
import { joinSource } from "./source.ts";

/** What a stored output is, without its content. */
export interface OutputSummary {
  /** nbformat's `output_type`. */
  outputType: string;
  /** The stream's name, or the error's. */
  name?: string;
  /** The error's value. */
  value?: string;
  /** UTF-8 bytes of the text of a stream or traceback. */
  bytes?: number;
  lines?: number;
  /** The size in bytes of each representation; of an image, once decoded. */
  mimeTypes?: Record<string, number>;
}

/** Summaries of a cell's stored outputs; images are measured, not decoded. */
export function summariseOutputs(document: NotebookDocument, index: number): OutputSummary[] {
  const { bytes } = document;
  const outputs = findMember(cellMembers(document, index), "outputs");
  if (outputs === undefined || bytes[outputs.start] !== 0x5b) return [];
  return readElements(bytes, outputs).flatMap((output) =>
    bytes[output.start] === 0x7b ? [summarise(bytes, output)] : [],
  );
}

function summarise(bytes: Buffer, output: Span): OutputSummary {
  const members = readMembers(bytes, output);
  const read = (name: string) => {
    const member = findMember(members, name);
    return member === undefined ? undefined : readValue(bytes, member);
  };
  const outputType = String(read("output_type"));
  if (outputType === "stream") {
    return { outputType, name: String(read("name") ?? "stdout"), ...measureText(joinSource(read("text"))) };
  }
  if (outputType === "error") {
    const traceback = read("traceback");
    const text = Array.isArray(traceback) ? traceback.join("\n") : "";
    return { outputType, name: String(read("ename")), value: String(read("evalue")), ...measureText(text) };
  }
  const data = findMember(members, "data");
  const isBundle = data !== undefined && bytes[data.start] === 0x7b;
  const entries = isBundle
    ? readMembers(bytes, data).map((mime) => [mime.name, sizeOf(bytes, mime.name, mime)] as const)
    : [];
  return { outputType, mimeTypes: Object.fromEntries(entries) };
}

function measureText(text: string): { bytes: number; lines: number } {
  const newlines = text.split("\n").length - 1;
  return { bytes: Buffer.byteLength(text), lines: newlines + (text === "" || text.endsWith("\n") ? 0 : 1) };
}

function sizeOf(bytes: Buffer, mime: string, span: Span): number {
  const isBase64 = bytes[span.start] === 0x22 && /^(?:image|audio|video)\//.test(mime) && mime !== "image/svg+xml";
  if (isBase64) {
    const [padding] = /=*(?:\\n)*"$/.exec(bytes.toString("latin1", span.end - 8, span.end)) ?? [""];
    return Math.floor(((span.end - span.start - 1 - padding.length) * 3) / 4);
  }
  const value = readValue(bytes, span);
  const text = typeof value === "string" || Array.isArray(value) ? joinSource(value) : "";
  return text === "" ? span.end - span.start : Buffer.byteLength(text);
}
