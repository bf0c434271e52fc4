import { errorCode, errorMessage, NuthatchError } from "../errors.ts";
import type { JsonSyntaxError } from "./json-scanner.ts";

/** The path names nothing. */
export function notebookNotFound(path: string): NuthatchError {
  const hint = 'check the path, or make the notebook with the action "create"';
  return new NuthatchError({
    code: "notebook_not_found",
    message: `Notebook not found: ${path}`,
    hint,
    data: { path },
  });
}

/** The bytes are not JSON; the text gives the line and the column, in characters, both from 1. */
export function invalidJson(bytes: Buffer, path: string, error: JsonSyntaxError): NuthatchError {
  const { line, column } = locate(bytes, error.offset);
  const what = bytes.length === 0 ? "the file is empty" : error.message;
  return new NuthatchError({
    code: "invalid_json",
    message: `${path} is not valid JSON: ${what} at line ${line}, column ${column}`,
    hint: "repair the file there, or restore it from version control",
    data: { path, line, column },
  });
}

/** The file is something else than a notebook of nbformat 4. */
export function invalidNotebook(path: string, why: string, hint?: string): NuthatchError {
  const message = `${path} is not a notebook that can be edited: ${why}`;
  return new NuthatchError({
    code: "invalid_notebook",
    message,
    ...(hint === undefined ? {} : { hint }),
    data: { path },
  });
}

/** The text names the encoding where it can be told, else the line of the first wrong byte. */
export function notUtf8(bytes: Buffer, path: string): NuthatchError {
  const encoding = guessEncoding(bytes);
  const why = encoding === undefined ? `line ${firstBadLine(bytes)} is not UTF-8` : `it is ${encoding}, not UTF-8`;
  const hint = `convert it with: iconv -f ${encoding ?? "LATIN1"} -t UTF-8 '${path}' > converted.ipynb`;
  return invalidNotebook(path, why, hint);
}

/** The file is a notebook of nbformat 2 or 3. */
export function oldFormat(path: string, version: unknown): NuthatchError {
  const what = typeof version === "number" ? `nbformat ${version}` : "a format older than nbformat 4";
  return invalidNotebook(path, `it is ${what}`, `upgrade it with: jupyter nbconvert --to notebook --inplace '${path}'`);
}

/** `last` is the highest index that would do; below 0 there is none. */
export function cellIndexOutOfRange(index: number, last: number, parameter = "cell_index"): NuthatchError {
  const range = last < 0 ? "the notebook has no cells" : `the valid range is 0-${last}`;
  return new NuthatchError({
    code: "cell_index_out_of_range",
    message: `${parameter} ${index} is out of range: ${range}`,
    data: { parameter, cellIndex: index, ...(last < 0 ? {} : { validRange: `0-${last}` }) },
  });
}

/** No cell has the id. */
export function cellNotFound(id: string): NuthatchError {
  const hint = 'the action "read" lists the cells with their ids';
  return new NuthatchError({
    code: "cell_not_found",
    message: `no cell has the id "${id}"`,
    hint,
    data: { cellId: id },
  });
}

/** Several cells have the id. */
export function cellIdAmbiguous(id: string, indexes: readonly number[]): NuthatchError {
  return new NuthatchError({
    code: "cell_id_ambiguous",
    message: `the cells ${indexes.join(", ")} all have the id "${id}"`,
    hint: "name the cell by cell_index",
    data: { cellId: id, indexes },
  });
}

/** An action that writes a source was given none. */
export function contentRequired(action: string): NuthatchError {
  return new NuthatchError({
    code: "content_required",
    message: `content is required for the action "${action}"`,
    hint: "pass the cell's whole new source as content",
    data: { parameter: "content" },
  });
}

/** `create` never overwrites. */
export function notebookExists(path: string): NuthatchError {
  const hint = 'edit it, or choose another path; "create" overwrites nothing';
  return new NuthatchError({ code: "notebook_exists", message: `${path} exists already`, hint, data: { path } });
}

/** The file is not what the caller last read. */
export function revisionMismatch(path: string, expected: string, actual: string, totalCells: number): NuthatchError {
  return new NuthatchError({
    code: "revision_mismatch",
    message: `${path} was changed by someone else: its revision is ${actual}, not ${expected}; it has ${totalCells} cells now`,
    hint: "read the notebook again and repeat the change on what is there now",
    data: { path, expected, actual, totalCells },
  });
}

/** Another process kept the lock; `pid` is known where the system tells it. */
export function notebookLocked(path: string, seconds: number, pid: number | undefined): NuthatchError {
  const holder = pid === undefined ? "another process" : `process ${pid}`;
  return new NuthatchError({
    code: "notebook_locked",
    message: `${path} is locked by ${holder}; waited ${seconds} seconds`,
    hint: "try again when it has finished, or end that process",
    data: { path, ...(pid === undefined ? {} : { pid }) },
  });
}

/** The file could not be written, and is what it was before. */
export function writeFailed(path: string, why: string, hint?: string, cause?: unknown): NuthatchError {
  return new NuthatchError({
    code: "write_failed",
    message: `cannot write ${path}: ${why}; the file is unchanged`,
    ...(hint === undefined ? {} : { hint }),
    data: { path, ...(errorCode(cause) === undefined ? {} : { systemCode: errorCode(cause) }) },
    cause,
  });
}

/** Writing in place failed, and so did bringing the old content back; it is in the safety copy. */
export function notRestored(path: string, copy: string, cause: unknown): NuthatchError {
  return new NuthatchError({
    code: "write_failed",
    message: `cannot write ${path}: ${errorMessage(cause)}; what it held before is in ${copy}`,
    hint: `copy it back when the disk takes it: cp '${copy}' '${path}'`,
    data: { path, safetyCopy: copy },
    cause,
  });
}

/** The file is there but cannot be read. */
export function readFailed(path: string, cause: unknown): NuthatchError {
  const message = `cannot read ${path}: ${errorMessage(cause)}`;
  return new NuthatchError({ code: "read_failed", message, data: { path, systemCode: errorCode(cause) }, cause });
}

function locate(bytes: Buffer, offset: number): { line: number; column: number } {
  let line = 1;
  let lineStart = 0;
  for (let at = bytes.indexOf(10); at >= 0 && at < offset; at = bytes.indexOf(10, at + 1)) {
    line++;
    lineStart = at + 1;
  }
  let column = 1;
  for (let at = lineStart; at < offset; at++) {
    if (((bytes[at] as number) & 0xc0) !== 0x80) column++;
  }
  return { line, column };
}

/** By the byte-order mark, or by where the NULs are around the first brace. */
function guessEncoding(bytes: Buffer): string | undefined {
  const start = bytes.toString("latin1", 0, 4);
  if (start === "\xff\xfe\0\0" || /^[^\0]\0\0\0$/.test(start)) return "UTF-32";
  if (/^(\xff\xfe|\xfe\xff|[^\0]\0[^\0]\0|\0[^\0]\0[^\0])/.test(start)) return "UTF-16";
  return undefined;
}

function firstBadLine(bytes: Buffer): number {
  const { isUtf8 } = process.getBuiltinModule("node:buffer");
  let line = 1;
  for (let start = 0; ; line++) {
    const end = bytes.indexOf(10, start);
    if (end < 0 || !isUtf8(bytes.subarray(start, end))) return line;
    start = end + 1;
  }
}

/** A plugin keeps the notebook from being written. */
export function writeRefused(path: string, reason: string): NuthatchError {
  return new NuthatchError({
    code: "write_refused",
    message: `${path} was not written: ${reason}; the file is unchanged`,
    hint: "nuthatch plugins lists the plugins and where they come from",
    data: { path },
  });
}
