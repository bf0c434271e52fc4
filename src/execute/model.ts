import type { Content, Output } from "../output/model.ts";
import type { SessionRequest } from "./kernel-session.ts";

/** A cell's exception in the form of the `error` message. */
export interface CellError {
  name: string;
  value: string;
  traceback: string[];
}

/** How a kernel ended: its process's exit where the gateway tells it, and `reason` for a person always. */
export interface KernelDeath {
  reason: string;
  code: number | null;
  signal: string | null;
  /** The last words on its standard error. */
  stderr: string;
  /** A new process has taken its place already, under the same id. */
  replaced: boolean;
  /** Only the way to it is lost; the kernel may go on. */
  disconnected: boolean;
}

/** A piece of code to run, and what the caller calls it. */
export interface CellRequest {
  code: string;
  title?: string | undefined;
}

export type CellStatus = "pending" | "running" | "complete" | "error";

/** One cell of a call as it stands. `exitCode` is null until it ended; `durationMs` has fractions. */
export interface CellDetails {
  index: number;
  title: string | null;
  code: string;
  output: string;
  status: CellStatus;
  durationMs: number;
  exitCode: number | null;
  statusEvents: unknown[];
  restarted: boolean;
}

/** An image of the output; bytes and size are those of the original, which the artifact holds. */
export interface ImageDetails {
  mimeType: string;
  width: number | null;
  height: number | null;
  bytes: number;
  artifactId: string | null;
}

/** How much text a call made, and how much of it the result shows. Bytes are UTF-8 after cleaning. */
export interface TextMeta {
  truncated: boolean;
  totalLines: number;
  totalBytes: number;
  outputLines: number;
  outputBytes: number;
  artifactId: string | null;
}

/** The structured truth about a call of the `python` tool. */
export interface PythonDetails {
  cells: CellDetails[];
  jsonOutputs: unknown[];
  images: ImageDetails[];
  statusEvents: unknown[];
  markdown: string[];
  /** Outputs of other types, those of plugins among them, with the index of their cell and the artifact of their file. */
  outputs: (Output & { cell: number; artifactId?: string | null })[];
  /** The cell of each entry of the lists of these names. */
  cellIndexes: Record<"jsonOutputs" | "markdown" | "images", number[]>;
  /** Which of `images` each image block of the content is. */
  shownImages: number[];
  session: string;
  kernel: string | null;
  cancelled: boolean;
  timedOut: boolean;
  stdinRequested: boolean;
  error: CellError | null;
  diagnostics: unknown[];
  meta: TextMeta;
}

/** A call of the `python` tool. `timeout` is seconds for all cells together, from the first one's start; absent, there is none. */
export interface PythonRequest extends SessionRequest {
  cells: CellRequest[];
  timeout?: number | undefined;
  reset?: boolean | undefined;
}

/** What a call gives back: blocks for a model, the truth for programs. */
export interface PythonResult {
  content: Content[];
  details: PythonDetails;
  isError: boolean;
}

/** How a call is cancelled, and who hears its new text. */
export interface RunOptions {
  signal: AbortSignal;
  onUpdate?: ((update: { content: Content[]; details: PythonDetails }) => void) | undefined;
}
