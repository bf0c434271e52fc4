import { isUtf8 } from "node:buffer";
import { countControls, JsonScanner, JsonSyntaxError } from "./json-scanner.ts";
import { invalidJson, invalidNotebook, notUtf8, oldFormat } from "./notebook-errors.ts";

/** A stretch of a notebook's bytes, end exclusive. */
export interface Span {
  start: number;
  end: number;
}

/** A member of an object: the span of its value, and where its key begins and ends (quotes included). */
export interface Member extends Span {
  name: string;
  keyStart: number;
  keyEnd: number;
}

/** A parsed notebook: its bytes, and where its cells and the notebook's own members lie in them. */
export interface NotebookDocument {
  bytes: Buffer;
  /** The top-level object, white space and byte-order mark around it excluded. */
  root: Span;
  members: Member[];
  /** The `cells` array, brackets included. */
  cellArray: Span;
  cells: Span[];
  /** nbformat 4.5 and newer: cells have ids. */
  hasIds: boolean;
  /** Key and value spans of all cells' members, four numbers a member, and where each cell's begin; see `cellMembers`. */
  memberSpans: number[];
  memberStarts: number[];
}

/** Deeper nesting than any reader of notebooks takes (Python's `json` stops near here). */
const MAX_DEPTH = 1000;

/** Validates a notebook's bytes and locates its cells. Throws `invalid_json` or `invalid_notebook`; `path` is for their text. */
export function parseNotebook(bytes: Buffer, path: string): NotebookDocument {
  if (!isUtf8(bytes)) throw notUtf8(bytes, path);
  const start = startsWithMark(bytes) ? 3 : 0;
  const scanner = new JsonScanner(bytes, start);
  try {
    const document = scanDocument(scanner, path);
    if (scanner.controls === countControls(bytes)) return document;
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
  }
  throw firstSyntaxError(bytes, start, path);
}

/** The members of one cell, in file order; of two with the same name the last one counts. */
export function cellMembers(document: NotebookDocument, index: number): Member[] {
  const { memberSpans, memberStarts, bytes } = document;
  const members: Member[] = [];
  const end = memberStarts[index + 1] ?? memberSpans.length;
  for (let at = memberStarts[index] as number; at < end; at += 4) {
    members.push(readMember(bytes, memberSpans, at));
  }
  return members;
}

/** The member that counts: the last one of that name. */
export function findMember(members: readonly Member[], name: string): Member | undefined {
  return members.findLast((member) => member.name === name);
}

/** The value of a span. `NaN` becomes null, and infinities numbers too large, so that any reader takes them. */
export function readValue(bytes: Buffer, span: Span): unknown {
  const text = bytes.toString("utf8", span.start, span.end);
  try {
    return JSON.parse(text);
  } catch {
    return JSON.parse(text.replace(/"(?:[^"\\]|\\.)*"|NaN|Infinity/g, plainToken));
  }
}

/** The members of the object that a span holds. */
export function readMembers(bytes: Buffer, span: Span): Member[] {
  const scanner = new JsonScanner(bytes, span.start);
  const spans: number[] = [];
  scanMembers(scanner, spans);
  return spans.flatMap((_, at) => (at % 4 === 0 ? [readMember(bytes, spans, at)] : []));
}

/** The elements of the array that a span holds. */
export function readElements(bytes: Buffer, span: Span): Span[] {
  const elements: Span[] = [];
  const scanner = new JsonScanner(bytes, span.start);
  scanner.open();
  for (let first = true; scanner.next(first); first = false) elements.push(skipSpan(scanner));
  return elements;
}

function plainToken(token: string): string {
  return token === "NaN" ? "null" : token === "Infinity" ? "1e999" : token;
}

/** A second, careful look at bytes that are not JSON, for the first place where they are not. */
function firstSyntaxError(bytes: Buffer, start: number, path: string): Error {
  if (looksUtf16(bytes)) return notUtf8(bytes, path);
  try {
    const scanner = new JsonScanner(bytes, start, true);
    scanner.skipValue();
    scanner.finish();
  } catch (error) {
    if (error instanceof JsonSyntaxError) return invalidJson(bytes, path, error);
  }
  throw new Error(`${path} is JSON to one scan and not to the other`);
}

function scanDocument(scanner: JsonScanner, path: string): NotebookDocument {
  const { bytes } = scanner;
  const isObject = scanner.peek() === 0x7b;
  const start = scanner.position;
  const found = { spans: [] as number[], cells: undefined as CellScan | undefined };
  if (isObject) scanRoot(scanner, found);
  else scanner.skipValue();
  const root = { start, end: scanner.position };
  scanner.finish();
  if (!isObject) throw invalidNotebook(path, "its JSON is not an object");
  if (scanner.deepest > MAX_DEPTH) throw invalidNotebook(path, `it nests ${scanner.deepest} levels deep`);
  const members = found.spans.flatMap((_, at) => (at % 4 === 0 ? [readMember(bytes, found.spans, at)] : []));
  const hasIds = checkFormat(bytes, members, path);
  if (found.cells === undefined)
    throw invalidNotebook(path, findMember(members, "cells") ? '"cells" is not an array' : 'it has no "cells"');
  const { strange, ...cells } = found.cells;
  if (strange !== undefined) throw invalidNotebook(path, `cell ${strange} is not an object`);
  return { bytes, root, members, hasIds, ...cells };
}

interface CellScan {
  cellArray: Span;
  cells: Span[];
  memberSpans: number[];
  memberStarts: number[];
  /** The first element of the array that is no object. */
  strange: number | undefined;
}

/** Walks the top-level object; of two `cells` the last one counts, whatever it is. */
function scanRoot(scanner: JsonScanner, found: { spans: number[]; cells: CellScan | undefined }): void {
  scanner.open();
  for (let first = true; scanner.next(first); first = false) {
    const [keyStart, keyEnd] = scanner.key();
    const start = scanner.position;
    if (readKey(scanner.bytes, keyStart, keyEnd) === "cells") {
      const isArray = scanner.bytes[start] === 0x5b;
      found.cells = isArray ? scanCells(scanner) : undefined;
      if (!isArray) scanner.skipValue();
    } else {
      scanner.skipValue();
    }
    found.spans.push(keyStart, keyEnd, start, scanner.position);
  }
}

function scanCells(scanner: JsonScanner): CellScan {
  const arrayStart = scanner.position;
  const scan: CellScan = {
    cellArray: { start: arrayStart, end: arrayStart },
    cells: [],
    memberSpans: [],
    memberStarts: [],
    strange: undefined,
  };
  scanner.open();
  for (let first = true; scanner.next(first); first = false) {
    const isObject = scanner.peek() === 0x7b;
    const start = scanner.position;
    if (!isObject) scan.strange ??= scan.cells.length;
    scan.memberStarts.push(scan.memberSpans.length);
    if (isObject) scanMembers(scanner, scan.memberSpans);
    else scanner.skipValue();
    scan.cells.push({ start, end: scanner.position });
  }
  scan.cellArray.end = scanner.position;
  return scan;
}

function scanMembers(scanner: JsonScanner, spans: number[]): void {
  scanner.open();
  for (let first = true; scanner.next(first); first = false) {
    const [keyStart, keyEnd] = scanner.key();
    const start = scanner.position;
    scanner.skipValue();
    spans.push(keyStart, keyEnd, start, scanner.position);
  }
}

function skipSpan(scanner: JsonScanner): Span {
  scanner.peek();
  const start = scanner.position;
  scanner.skipValue();
  return { start, end: scanner.position };
}

function readMember(bytes: Buffer, spans: readonly number[], at: number): Member {
  const [keyStart, keyEnd, start, end] = spans.slice(at, at + 4) as [number, number, number, number];
  return { name: readKey(bytes, keyStart, keyEnd), keyStart, keyEnd, start, end };
}

function readKey(bytes: Buffer, start: number, end: number): string {
  const key = bytes.toString("utf8", start + 1, end - 1);
  return key.includes("\\") ? (JSON.parse(`"${key}"`) as string) : key;
}

/** Refuses nbformat below 4, and says whether cells of this notebook have ids. */
function checkFormat(bytes: Buffer, members: readonly Member[], path: string): boolean {
  const read = (name: string) => {
    const member = findMember(members, name);
    return member === undefined ? undefined : readValue(bytes, member);
  };
  const major = read("nbformat");
  if (typeof major === "number" ? major < 4 : findMember(members, "worksheets") !== undefined)
    throw oldFormat(path, major);
  if (major !== undefined && typeof major !== "number") throw invalidNotebook(path, '"nbformat" is not a number');
  const minor = read("nbformat_minor");
  return major !== undefined && (major > 4 || (typeof minor === "number" && minor >= 5));
}

function startsWithMark(bytes: Buffer): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

/** UTF-16 without a mark: every other byte of the first four is NUL. */
function looksUtf16(bytes: Buffer): boolean {
  if (bytes.length < 4) return false;
  const zeros = [0, 1, 2, 3].filter((at) => bytes[at] === 0).length;
  return zeros >= 2 && zeros < 4;
}
