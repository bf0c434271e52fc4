import { countControls } from "./control-characters.ts";
import { JsonScanner, JsonSyntaxError, knownText } from "./json-scanner.ts";
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
  /** The members of the cells that have been asked for, by index; see `cellMembers`. */
  cellMembers: Member[][];
  /** nbformat 4.5 and newer: cells have ids. */
  hasIds: boolean;
}

const OPEN_ARRAY = 0x5b;
const OPEN_OBJECT = 0x7b;

/** Deeper nesting than any reader of notebooks takes (Python's `json` stops near here). */
const MAX_DEPTH = 1000;

/** Bytes; what is larger is never made a string. */
const SMALL = 1 << 20;

/** Bytes; in less than this, what is native from its first use is faster than what has to be compiled first. */
const TINY = 1 << 16;

/** The texts of tiny notebooks that were parsed, to find things in. */
const knownTexts = new WeakMap<Buffer, string>();

/** Validates a notebook's bytes and locates its cells. Throws `invalid_json` or `invalid_notebook`; `path` is for their text. */
export function parseNotebook(bytes: Buffer, path: string): NotebookDocument {
  const text = decodeUtf8(bytes);
  if (text === undefined) throw notUtf8(bytes, path);
  const start = startsWithMark(bytes) ? 3 : 0;
  const known = bytes.length <= TINY && isPlainJson(text.slice(start > 0 ? 1 : 0)) ? knownText(bytes) : undefined;
  if (known !== undefined) knownTexts.set(bytes, known);
  const scanner = new JsonScanner(bytes, start, false, known);
  try {
    const document = scanDocument(scanner, path);
    if (known !== undefined || scanner.controls === countControls(bytes)) return document;
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
  }
  throw firstSyntaxError(bytes, start, path);
}

/** The members of one cell, in file order; of two with the same name the last one counts. */
export function cellMembers(document: NotebookDocument, index: number): Member[] {
  document.cellMembers[index] ??= readMembers(document.bytes, document.cells[index] as Span);
  return document.cellMembers[index];
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
  const scanner = scannerOf(bytes, span);
  const members: Member[] = [];
  scanner.open();
  for (let first = true; scanner.next(first); first = false) members.push(scanMember(scanner));
  return members;
}

/** The elements of the array that a span holds. */
export function readElements(bytes: Buffer, span: Span): Span[] {
  const elements: Span[] = [];
  const scanner = scannerOf(bytes, span);
  scanner.open();
  for (let first = true; scanner.next(first); first = false) elements.push(skipSpan(scanner));
  return elements;
}

/** Sees nothing behind the span: a search for a backslash would go through the whole file for each cell. */
function scannerOf(bytes: Buffer, { start, end }: Span): JsonScanner {
  return new JsonScanner(bytes.subarray(0, end), start, false, knownTexts.get(bytes));
}

/** JSON as RFC 8259 has it: what Python adds to it, and what is no JSON, is for the scanner to see. */
function isPlainJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
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
  const isObject = scanner.peek() === OPEN_OBJECT;
  const start = scanner.position;
  const found: RootScan = { members: [], cells: undefined };
  if (isObject) scanRoot(scanner, found);
  else scanner.skipValue();
  const root = { start, end: scanner.position };
  scanner.finish();
  if (!isObject) throw invalidNotebook(path, "its JSON is not an object");
  if (scanner.deepest > MAX_DEPTH) throw invalidNotebook(path, `it nests ${scanner.deepest} levels deep`);
  const { members } = found;
  const hasIds = checkFormat(bytes, members, path);
  if (found.cells === undefined)
    throw invalidNotebook(path, findMember(members, "cells") ? '"cells" is not an array' : 'it has no "cells"');
  const { strange, ...cells } = found.cells;
  if (strange !== undefined) throw invalidNotebook(path, `cell ${strange} is not an object`);
  return { bytes, root, members, cellMembers: [], hasIds, ...cells };
}

interface CellScan {
  cellArray: Span;
  cells: Span[];
  /** The first element of the array that is no object. */
  strange: number | undefined;
}

interface RootScan {
  members: Member[];
  cells: CellScan | undefined;
}

/** Walks the top-level object; of two `cells` the last one counts, whatever it is. */
function scanRoot(scanner: JsonScanner, found: RootScan): void {
  scanner.open();
  for (let first = true; scanner.next(first); first = false) {
    const member = scanMember(scanner, (name) => {
      if (name !== "cells") return scanner.skipValue();
      found.cells = scanner.peek() === OPEN_ARRAY ? scanCells(scanner) : undefined;
      if (found.cells === undefined) scanner.skipValue();
    });
    found.members.push(member);
  }
}

function scanCells(scanner: JsonScanner): CellScan {
  const start = scanner.position;
  const scan: CellScan = { cellArray: { start, end: start }, cells: [], strange: undefined };
  scanner.open();
  for (let first = true; scanner.next(first); first = false) {
    if (scanner.peek() !== OPEN_OBJECT) scan.strange ??= scan.cells.length;
    scan.cells.push(skipSpan(scanner));
  }
  scan.cellArray.end = scanner.position;
  return scan;
}

function scanMember(scanner: JsonScanner, takeValue: (name: string) => void = () => scanner.skipValue()): Member {
  scanner.key();
  const { keyStart, keyEnd, position: start } = scanner;
  const name = readKey(scanner.bytes, keyStart, keyEnd);
  takeValue(name);
  return { name, keyStart, keyEnd, start, end: scanner.position };
}

function skipSpan(scanner: JsonScanner): Span {
  scanner.peek();
  const start = scanner.position;
  scanner.skipValue();
  return { start, end: scanner.position };
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

/** The text, empty if it is not small; undefined if it is not UTF-8. Only large files wait for the module that needs no string. */
function decodeUtf8(bytes: Buffer): string | undefined {
  if (bytes.length > SMALL) return process.getBuiltinModule("node:buffer").isUtf8(bytes) ? "" : undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
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
