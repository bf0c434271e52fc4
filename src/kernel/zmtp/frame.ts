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

/** Messages up to this size go out in one piece; the bodies of larger ones are not copied. Bytes. */
const LARGEST_JOINED = 2 ** 16;

/** The flags and the size that go before a body of `size` bytes: two bytes, or nine for a long frame. */
export function encodeFrameHeader(size: number, kind: { more?: boolean; command?: boolean }): Uint8Array {
  const flags = (kind.more ? MORE : 0) | (kind.command ? COMMAND : 0);
  const header = new Uint8Array(headerSize(size));
  writeHeader(header, 0, flags, size);
  return header;
}

/** The frames of one message with their headers, in one piece or, of a large one, in many. */
export function encodeMessage(bodies: Uint8Array[]): Uint8Array[] {
  const last = bodies.length - 1;
  let total = 0;
  for (const { length } of bodies) total += headerSize(length) + length;
  if (total > LARGEST_JOINED) {
    return bodies.flatMap((body, index) => [encodeFrameHeader(body.length, { more: index < last }), body]);
  }
  const whole = new Uint8Array(total);
  let at = 0;
  for (let index = 0; index <= last; index++) {
    const body = bodies[index]!;
    at = writeHeader(whole, at, index < last ? MORE : 0, body.length);
    whole.set(body, at);
    at += body.length;
  }
  return [whole];
}

function headerSize(size: number): number {
  return size > LONGEST_SHORT_BODY ? LONG_HEADER : SHORT_HEADER;
}

/** Writes a header at an offset and returns the offset behind it. */
function writeHeader(bytes: Uint8Array, at: number, flags: number, size: number): number {
  if (size <= LONGEST_SHORT_BODY) {
    bytes[at] = flags;
    bytes[at + 1] = size;
    return at + SHORT_HEADER;
  }
  bytes[at] = flags | LONG;
  new DataView(bytes.buffer, bytes.byteOffset).setBigUint64(at + 1, BigInt(size));
  return at + LONG_HEADER;
}

/**
 * Cuts a byte stream into frames, however it was split on its way. A body that arrived in one piece is a view of that piece,
 * so nothing is copied; the pieces must not be reused by the caller.
 */
export class FrameReader {
  readonly #endpoint: string;
  readonly #limit: number;
  /** Of a header that is split between two pieces. */
  readonly #header = new Uint8Array(LONG_HEADER);
  #headerBytes = 0;
  #flags = 0;
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
      else offset = this.#readHeader(piece, offset, onFrame);
    }
    if (goesIntoBody) giveBack(piece);
  }

  /** Reads a header, and the body where it is in the same piece; most are. */
  #readHeader(piece: Uint8Array, offset: number, onFrame: (frame: Frame) => void): number {
    if (this.#headerBytes === 0) {
      const end = offset + (piece[offset]! & LONG ? LONG_HEADER : SHORT_HEADER);
      if (end <= piece.length) return this.#startBody(this.#readSize(piece, offset), piece, end, onFrame);
    }
    let at = offset;
    while (at < piece.length && !this.#headerComplete()) this.#header[this.#headerBytes++] = piece[at++]!;
    if (!this.#headerComplete()) return at;
    return this.#startBody(this.#readSize(this.#header, 0), piece, at, onFrame);
  }

  #headerComplete(): boolean {
    return this.#headerBytes >= (this.#header[0]! & LONG ? LONG_HEADER : SHORT_HEADER);
  }

  /** Takes the flags of a header and gives the body's size, which is checked before memory is taken for it. */
  #readSize(header: Uint8Array, at: number): number {
    this.#flags = header[at]!;
    if (this.#flags & RESERVED) throw protocolError(this.#endpoint, `a frame has the unknown flags ${this.#flags}`);
    if (!(this.#flags & LONG)) return this.#checked(header[at + 1]!);
    return this.#checked(new DataView(header.buffer, header.byteOffset).getBigUint64(at + 1));
  }

  #checked(size: number | bigint): number {
    if (size > this.#limit) throw messageTooLarge(this.#endpoint, size, this.#limit);
    return Number(size);
  }

  #startBody(size: number, piece: Uint8Array, offset: number, onFrame: (frame: Frame) => void): number {
    if (offset + size <= piece.length) {
      this.#finish(piece.subarray(offset, offset + size), onFrame);
      return offset + size;
    }
    this.#body = new Uint8Array(size);
    this.#bodyBytes = 0;
    return this.#fillBody(this.#body, piece, offset, onFrame);
  }

  #fillBody(body: Uint8Array, piece: Uint8Array, offset: number, onFrame: (frame: Frame) => void): number {
    const end = Math.min(piece.length, offset + body.length - this.#bodyBytes);
    body.set(piece.subarray(offset, end), this.#bodyBytes);
    this.#bodyBytes += end - offset;
    if (this.#bodyBytes === body.length) this.#finish(body, onFrame);
    return end;
  }

  #finish(body: Uint8Array, onFrame: (frame: Frame) => void): void {
    this.#headerBytes = 0;
    this.#body = undefined;
    onFrame({ body, more: (this.#flags & MORE) !== 0, command: (this.#flags & COMMAND) !== 0 });
  }
}
