import type { ErrorFields } from "../errors.ts";

// The daemon's wire: one stream socket a client, JSON values separated by newlines in both directions. The daemon's first line
// is its `Hello`; this line, `status`, `stop` and `handOver` keep their form in every version, all else may change.

/** The daemon's first line. `executable` and `modified` (ms since the epoch) tell that a binary was replaced in place. */
export interface Hello extends Build {
  hello: "nuthatch";
  pid: number;
}

/** Which build of Nuthatch a process runs. */
export interface Build {
  version: string;
  executable: string;
  modified: number;
}

/** A client asks for `method`, or takes the request `cancel` back; the reply to a cancelled request still comes. */
export type Request = { id: number; method: string; params?: unknown } | { cancel: number };

/**
 * What the daemon says about request `id`: `accepted` before it starts on it, then any number of updates, and one result or
 * one error. A request without `accepted` was never begun, so that it may be made again.
 */
export type Reply =
  | { id: number; accepted: true }
  | { id: number; update: unknown }
  | { id: number; result: unknown }
  | { id: number; error: ErrorFields };

/** The result of `status`. Times are seconds, monotonic; memory is what is resident, in bytes. */
export interface DaemonStatus {
  pid: number;
  version: string;
  socket: string;
  uptimeSeconds: number;
  calls: number;
  sessions: number;
  runs: number;
  memoryBytes: number;
}

/** The result of `handOver`: what the daemon still had. Its sessions end; calls and runs under way are finished first. */
export interface HandedOver {
  calls: number;
  sessions: number;
  runs: number;
}

/** The result of `gateway`: the socket of the daemon's Jupyter API, which listens by then. */
export interface OpenGateway {
  socket: string;
}

/** The longest line that either side takes, in bytes: far over any notebook, far under what memory holds. */
export const LONGEST_LINE = 2 ** 28;

/** One value as a line of the wire. */
export function encodeLine(value: Hello | Request | Reply): string {
  return `${JSON.stringify(value)}\n`;
}

/** Cuts a byte stream into lines and parses them; lines may arrive in any pieces. Throws on one that is too long or no JSON. */
export class LineReader {
  private pieces: Uint8Array[] = [];
  private length = 0;

  /** The values whose lines `chunk` completed. The chunk's memory is not kept beyond the call. */
  read(chunk: Uint8Array): unknown[] {
    const values: unknown[] = [];
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      values.push(JSON.parse(this.take(chunk.subarray(start, end))));
      start = end + 1;
    }
    if (start < chunk.length) this.keep(chunk.slice(start));
    return values;
  }

  private take(end: Uint8Array): string {
    const line = this.pieces.length === 0 ? end : Buffer.concat([...this.pieces, end]);
    this.pieces = [];
    this.length = 0;
    return new TextDecoder().decode(line);
  }

  private keep(piece: Uint8Array): void {
    this.length += piece.length;
    if (this.length > LONGEST_LINE) throw new Error(`a line of the daemon's wire is longer than ${LONGEST_LINE} bytes`);
    this.pieces.push(piece);
  }
}
