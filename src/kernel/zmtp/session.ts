// States: greeting -> handshake -> open. It owns no socket: bytes come in by `receive` and go out by `write`, so the same
// code can be fed byte by byte in a test. Whoever owns the connection closes it when `receive` throws.
import { decodeCommand, decodeProperties, decodeReason, encodeCommand, encodeProperties } from "./command.ts";
import { messageTooLarge, protocolError } from "./errors.ts";
import { encodeFrameHeader, type Frame, FrameReader } from "./frame.ts";
import { encodeGreeting, GREETING_BYTES, readGreeting } from "./greeting.ts";

/** The roles that a Jupyter client plays; DEALER also talks to a REP heartbeat, with an empty frame first. */
export type SocketType = "DEALER" | "SUB";

/** How a session speaks: `identity` names a DEALER to its ROUTER peer, sizes are bytes. */
export interface SessionOptions {
  endpoint: string;
  type: SocketType;
  identity?: Uint8Array;
  maxMessageBytes?: number;
  /** The minor version that we announce; with 0, or a 3.0 peer, subscriptions are messages instead of commands. */
  minorVersion?: 0 | 1;
}

/** What a session tells its owner. `write` takes the pieces in order and must not change them. */
export interface SessionEvents {
  write(pieces: Uint8Array[]): void;
  open(): void;
  message(frames: Uint8Array[]): void;
}

/** Large enough for any notebook output, small enough to stop a peer that is not a kernel. */
const MAX_MESSAGE_BYTES = 2 ** 30;
const PEERS: Record<SocketType, string[]> = { DEALER: ["ROUTER", "REP"], SUB: ["PUB", "XPUB"] };

/** One side of a ZMTP 3 connection (RFC 37) with the NULL mechanism. */
export class ZmtpSession {
  readonly #options: SessionOptions;
  readonly #events: SessionEvents;
  readonly #limit: number;
  readonly #reader: FrameReader;
  #greeting = new Uint8Array();
  #state: "greeting" | "handshake" | "open" = "greeting";
  #peerMinor = 0;
  #parts: Uint8Array[] = [];
  #partBytes = 0;

  constructor(options: SessionOptions, events: SessionEvents) {
    this.#options = options;
    this.#events = events;
    this.#limit = options.maxMessageBytes ?? MAX_MESSAGE_BYTES;
    this.#reader = new FrameReader(options.endpoint, this.#limit);
  }

  /** Sends the greeting and READY at once; waiting for the peer's greeting in between would only cost a round trip. */
  start(): void {
    const properties: Record<string, Uint8Array> = { "Socket-Type": Buffer.from(this.#options.type) };
    if (this.#options.identity) properties.Identity = this.#options.identity;
    const ready = encodeCommand("READY", encodeProperties(properties));
    const header = encodeFrameHeader(ready.length, { command: true });
    this.#events.write([encodeGreeting(this.#options.minorVersion ?? 1), header, ready]);
  }

  /** Takes bytes from the peer. Throws `zmtp_protocol` or `zmtp_message_too_large`. */
  receive(piece: Uint8Array): void {
    const rest = this.#state === "greeting" ? this.#takeGreeting(piece) : piece;
    this.#reader.read(rest, (frame) => this.#takeFrame(frame));
  }

  /** Sends one message; allowed once the session is open. */
  send(frames: Uint8Array[]): void {
    const last = frames.length - 1;
    this.#events.write(frames.flatMap((body, index) => [encodeFrameHeader(body.length, { more: index < last }), body]));
  }

  /** Subscribes a SUB to all that starts with `topic`: a command for 3.1 peers, a message for 3.0. */
  subscribe(topic: Uint8Array): void {
    const minor = Math.min(this.#peerMinor, this.#options.minorVersion ?? 1);
    if (minor >= 1) this.#sendFrame(encodeCommand("SUBSCRIBE", topic), { command: true });
    else this.send([Buffer.concat([Uint8Array.of(1), topic])]);
  }

  #takeGreeting(piece: Uint8Array): Uint8Array {
    const missing = GREETING_BYTES - this.#greeting.length;
    this.#greeting = Buffer.concat([this.#greeting, piece.subarray(0, missing)]);
    if (this.#greeting.length === GREETING_BYTES) {
      this.#peerMinor = readGreeting(this.#options.endpoint, this.#greeting);
      this.#state = "handshake";
    }
    return piece.subarray(missing);
  }

  #takeFrame(frame: Frame): void {
    if (frame.command) this.#takeCommand(frame.body);
    else if (this.#state !== "open") throw protocolError(this.#options.endpoint, "a message came before READY");
    else this.#takePart(frame);
  }

  #takeCommand(body: Uint8Array): void {
    const { name, data } = decodeCommand(this.#options.endpoint, body);
    if (name === "ERROR") throw protocolError(this.#options.endpoint, `the peer refused: ${decodeReason(data)}`);
    if (name === "READY") this.#takeReady(data);
    else if (this.#state !== "open") throw protocolError(this.#options.endpoint, `expected READY, got ${name}`);
    else if (name === "PING") this.#sendFrame(encodeCommand("PONG", data.subarray(2)), { command: true });
  }

  #takeReady(data: Uint8Array): void {
    if (this.#state === "open") throw protocolError(this.#options.endpoint, "READY came twice");
    const type = decodeProperties(this.#options.endpoint, data)["socket-type"];
    const name = type === undefined ? "no socket type" : Buffer.from(type).toString("latin1");
    if (!PEERS[this.#options.type].includes(name))
      throw protocolError(this.#options.endpoint, `a ${this.#options.type} cannot talk to ${name}`);
    this.#state = "open";
    this.#events.open();
  }

  #takePart(frame: Frame): void {
    this.#parts.push(frame.body);
    this.#partBytes += frame.body.length;
    if (this.#partBytes > this.#limit) throw messageTooLarge(this.#options.endpoint, this.#partBytes, this.#limit);
    if (frame.more) return;
    const parts = this.#parts;
    this.#parts = [];
    this.#partBytes = 0;
    this.#events.message(parts);
  }

  #sendFrame(body: Uint8Array, kind: { command?: boolean }): void {
    this.#events.write([encodeFrameHeader(body.length, kind), body]);
  }
}
