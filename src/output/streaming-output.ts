// States: open -> finished. Whoever makes a sink calls `finish`, which closes its artifact file; the artifact itself
// belongs to the store. A sink that is dropped without it leaves a file that holds what had left memory by then.
import { errorMessage } from "../errors.ts";
import type { ArtifactFile } from "./artifact-file.ts";
import { countNewlines, OutputTail } from "./output-tail.ts";
import { textEnd } from "./text-end.ts";
import { sanitizeText, TextSanitizer } from "./text-sanitizer.ts";

/** How much text of a call is shown when the settings say nothing else: 50 KiB. */
export const DEFAULT_MAX_BYTES = 51_200;
/** The tail is kept at least this much longer than what is shown, for the grapheme at the cut. */
const SPARE_BYTES = 4096;
const PIECE_UNITS = 65_536;

/** What a sink holds: the text to show, and how much of the whole it is. Bytes are UTF-8 after cleaning. */
export interface OutputDump {
  text: string;
  /** The text is only the end of the output. */
  truncated: boolean;
  totalLines: number;
  totalBytes: number;
  outputLines: number;
  outputBytes: number;
  /** The artifact that holds the whole output, when it was truncated. */
  artifactId?: string;
  /** Why there is no artifact although the output was truncated: the disk is full, say. */
  spillError?: string;
}

/** How a sink bounds and tells. */
export interface OutputSinkOptions {
  /** What is shown at most, in bytes; {@link DEFAULT_MAX_BYTES} when absent, 0 for no bound. */
  maxBytes?: number;
  /** Opens the artifact for an output that is longer; asked once, at the first byte that has to leave memory. */
  openArtifact?: () => ArtifactFile;
  /** Hears each new piece of text that is fit to show while the output runs; see LiveView for lines that are rewritten. */
  onText?: (text: string) => void;
}

/**
 * Takes the text of a cell or a call as it comes: cleans it, counts it, keeps its end in memory and writes the whole to an
 * artifact once it is too long. Memory stays bounded and no disk error ever reaches the cell.
 */
export class OutputSink {
  private readonly maxBytes: number;
  private readonly sanitizer: TextSanitizer;
  private readonly tail: OutputTail;
  private stream = "stdout";
  private artifact: ArtifactFile | undefined;
  private spillError: string | undefined;
  private isFinished = false;

  constructor(private readonly options: OutputSinkOptions = {}) {
    this.maxBytes = options.maxBytes ?? DEFAULT_MAX_BYTES;
    this.sanitizer = new TextSanitizer({ live: options.onText !== undefined });
    const keep = this.maxBytes === 0 ? 0 : this.maxBytes + SPARE_BYTES;
    this.tail = new OutputTail(keep, (parts) => this.spill((file) => file.append(parts)));
  }

  /**
   * Takes the next chunk of a stream; it may end anywhere, within a character or an escape sequence too. Where another stream
   * goes on (standard error after standard output) it does so on a line of its own.
   */
  push(chunk: string | Uint8Array, stream = this.stream): void {
    if (stream !== this.stream) this.startLine();
    this.stream = stream;
    for (let at = 0; at < chunk.length; at += PIECE_UNITS) {
      this.tail.add(this.sanitizer.write(chunk.length <= PIECE_UNITS ? chunk : chunk.slice(at, at + PIECE_UNITS)));
    }
    this.tell(this.sanitizer.takeLive());
  }

  /** Ends the line that is open, if one is: what comes next stands on a line of its own and cannot change what came before. */
  startLine(): void {
    this.tail.add(this.sanitizer.startLine());
    this.tell(this.sanitizer.takeLive());
  }

  /** Adds a text that is whole, such as a display's, on lines of its own. `id` names it for `replaceBlock`. */
  pushBlock(text: string, id?: string): void {
    this.startLine();
    const block = toBlock(text);
    this.tail.add(block, id);
    this.tell(block);
  }

  /**
   * Puts a new text in the place of all blocks of this id; false when none is in memory any more. Nobody is told. Of a sink that
   * has finished the text changes, not the artifact.
   */
  replaceBlock(id: string, text: string): boolean {
    return this.tail.replace(id, toBlock(text));
  }

  /** Takes over the output of a sink that has finished, its blocks as blocks; what had left memory is read from its artifact. */
  append(other: OutputSink): void {
    this.startLine();
    this.tail.append(other.tail, () => this.spill((file) => file.appendFile(other.wholePath, other.tail.dropped)));
  }

  get isEmpty(): boolean {
    return this.tail.totalBytes === 0 && this.sanitizer.pending === "";
  }

  /** The artifact that was begun for this output, if one was. */
  get artifactId(): string | undefined {
    return this.artifact?.id;
  }

  /** Drops all output so far, as `clear_output` does. */
  clear(): void {
    this.sanitizer.finish();
    this.sanitizer.takeLive();
    this.tail.clear();
    if (this.artifact !== undefined) this.spill((file) => file.clear());
  }

  /** The output as it stands. The artifact, if there is one, then holds exactly this output. */
  dump(): OutputDump {
    const pending = Buffer.from(this.sanitizer.pending);
    const parts = [...this.tail.held, pending];
    const totalBytes = this.tail.totalBytes + pending.length;
    const truncated = this.maxBytes > 0 && (totalBytes > this.maxBytes || this.tail.hasDropped);
    if (truncated) this.spill((file) => file.complete(parts));
    const text = truncated ? textEnd(parts, this.maxBytes) : Buffer.concat(parts).toString();
    const open = totalBytes > 0 && !endsLine(parts) ? 1 : 0;
    return {
      text,
      truncated,
      totalLines: this.tail.newlines + countNewlines(this.sanitizer.pending) + open,
      totalBytes,
      outputLines: countNewlines(text) + (text === "" ? 0 : open),
      outputBytes: Buffer.byteLength(text),
      ...(truncated && this.artifact !== undefined ? { artifactId: this.artifact.id } : {}),
      ...(truncated && this.spillError !== undefined ? { spillError: this.spillError } : {}),
    };
  }

  /** Ends the stream: half a character becomes U+FFFD, what was held back is told, the artifact is complete and closed. */
  finish(): OutputDump {
    this.tail.add(this.sanitizer.finish());
    this.tell(this.sanitizer.takeLive());
    const dump = this.dump();
    this.isFinished = true;
    this.artifact?.close();
    return dump;
  }

  private tell(text: string): void {
    if (text !== "") this.options.onText?.(text);
  }

  private get wholePath(): string {
    if (this.artifact === undefined) throw new Error(this.spillError ?? "it was not kept");
    return this.artifact.path;
  }

  private spill(write: (file: ArtifactFile) => void): void {
    if (this.isFinished || this.spillError !== undefined || this.options.openArtifact === undefined) return;
    try {
      this.artifact ??= this.options.openArtifact();
      write(this.artifact);
    } catch (error) {
      this.spillError = errorMessage(error);
      this.artifact?.abandon();
      this.artifact = undefined;
    }
  }
}

/** A text as a block has it: clean, and ended by a newline unless it is empty. */
export function toBlock(text: string): string {
  const clean = sanitizeText(text);
  return clean === "" || clean.endsWith("\n") ? clean : `${clean}\n`;
}

function endsLine(parts: readonly Uint8Array[]): boolean {
  const last = parts.findLast((part) => part.length > 0);
  return last?.at(-1) === 0x0a;
}
