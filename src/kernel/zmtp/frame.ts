import { messageTooLarge, protocolError } from "./errors.ts";
import { giveBack } from "./give-back.ts";

/** One frame of ZMTP 3 (RFC 37, "Framing"): a command, or a part of a message of which `more` follow. */
export interface Frame {
  body: Uint8Array;
  more: boolean;
  command: boolean;
}

const MORE = 1;
const LONG = 2;
const COMMAND = 4;
const RESERVED = 0xf8;
const LONGEST_SHORT_BODY = 255;
const SHORT_HEADER = 2;
const LONG_HEADER = 9;

/** The flags and the size that go before a body of `size` bytes: two bytes, or nine for a long frame. */
export function encodeFrameHeader(size: number, kind: { more?: boolean; command?: boolean }): Uint8Array {
  const flags = (kind.more ? MORE : 0) | (kind.command ? COMMAND : 0);
  if (size <= LONGEST_SHORT_BODY) return Uint8Array.of(flags, size);
  const header = new Uint8Array(LONG_HEADER);
  header[0] = flags | LONG;
  new DataView(header.buffer).setBigUint64(1, BigInt(size));
  return header;
}

/**
 * Cuts a byte stream into frames, however it was split on its way. A body that arrived in one piece is a view of that piece,
 * so nothing is copied; the pieces must not be reused by the caller.
 */
export class FrameReader {
  readonly #endpoint: string;
  readonly #limit: number;
  readonly #header = new Uint8Array(LONG_HEADER);
  #headerBytes = 0;
  #body: Uint8Array | undefined;
  #bodyBytes = 0;

  /** `limit` is the most bytes that one frame may hold; the check comes before memory is taken for it. */
  constructor(endpoint: string, limit: number) {
    this.#endpoint = endpoint;
    this.#limit = limit;
  }

  /** Takes the next piece of the stream and hands out the frames that it completes. */
  read(piece: Uint8Array, onFrame: (frame: Frame) => void): void {
    let offset = 0;
    const goesIntoBody = this.#body !== undefined && piece.length <= this.#body.length - this.#bodyBytes;
    while (offset < piece.length) {
      if (this.#body !== undefined) offset = this.#fillBody(this.#body, piece, offset, onFrame);
      else {
        offset = this.#fillHeader(piece, offset);
        if (this.#headerComplete()) offset = this.#startBody(piece, offset, onFrame);
      }
    }
    if (goesIntoBody) giveBack(piece);
  }

  #fillHeader(piece: Uint8Array, offset: number): number {
    let at = offset;
    while (at < piece.length && !this.#headerComplete()) this.#header[this.#headerBytes++] = piece[at++]!;
    return at;
  }

  #headerComplete(): boolean {
    return this.#headerBytes >= (this.#header[0]! & LONG ? LONG_HEADER : SHORT_HEADER);
  }

  #startBody(piece: Uint8Array, offset: number, onFrame: (frame: Frame) => void): number {
    const size = this.#bodySize();
    if (offset + size <= piece.length) {
      this.#finish(piece.subarray(offset, offset + size), onFrame);
      return offset + size;
    }
    this.#body = new Uint8Array(size);
    this.#bodyBytes = 0;
    return this.#fillBody(this.#body, piece, offset, onFrame);
  }

  #bodySize(): number {
    const flags = this.#header[0]!;
    if (flags & RESERVED) throw protocolError(this.#endpoint, `a frame has the unknown flags ${flags}`);
    const size = flags & LONG ? new DataView(this.#header.buffer).getBigUint64(1) : BigInt(this.#header[1]!);
    if (size > BigInt(this.#limit)) throw messageTooLarge(this.#endpoint, size, this.#limit);
    return Number(size);
  }

  #fillBody(body: Uint8Array, piece: Uint8Array, offset: number, onFrame: (frame: Frame) => void): number {
    const end = Math.min(piece.length, offset + body.length - this.#bodyBytes);
    body.set(piece.subarray(offset, end), this.#bodyBytes);
    this.#bodyBytes += end - offset;
    if (this.#bodyBytes === body.length) this.#finish(body, onFrame);
    return end;
  }

  #finish(body: Uint8Array, onFrame: (frame: Frame) => void): void {
    const flags = this.#header[0]!;
    this.#headerBytes = 0;
    this.#body = undefined;
    onFrame({ body, more: (flags & MORE) !== 0, command: (flags & COMMAND) !== 0 });
  }
}
