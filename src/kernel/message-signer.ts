import { randomUUID, timingSafeEqual } from "node:crypto";
import { errorMessage, NuthatchError } from "../errors.ts";
import { cutStream } from "./cut-stream.ts";
import type { Channel, KernelMessage, MessageHeader } from "./message.ts";
import { parseJson } from "./parse-json.ts";
import { giveBack } from "./zmtp/give-back.ts";

const DELIMITER = Buffer.from("<IDS|MSG>");
/** The signature and the four dictionaries. */
const SIGNED_FRAMES = 5;
/** How many signatures are remembered against replays, as many as Jupyter's own clients keep. */
const REMEMBERED_SIGNATURES = 65536;
/** 24 hexadecimal digits (96 bits) of a signature tell messages apart and keep the memory small. */
const REMEMBERED_DIGITS = 24;
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Turns messages into signed frames and back ("Messaging in Jupyter", "The Wire Protocol"): identities, delimiter, HMAC-SHA256
 * of the four dictionaries, the dictionaries, raw buffers. One signer serves one connection file, whose key it holds.
 */
export class MessageSigner {
  readonly #key: string;
  readonly #seen = new Set<string>();

  /** With an empty key nothing is signed or checked, as the specification says. */
  constructor(key: string) {
    this.#key = key;
  }

  /** The frames of a message for a DEALER; its channel is not part of them. */
  encode(message: Omit<KernelMessage, "channel">): Uint8Array[] {
    const parts = [message.header, message.parent_header, message.metadata, message.content].map((part) =>
      Buffer.from(JSON.stringify(part)),
    );
    return [DELIMITER, Buffer.from(this.#sign(parts)), ...parts, ...message.buffers];
  }

  /**
   * Reads a message that arrived on `channel`; a long text of a stream comes as several, each with an id of its own. Throws
   * `kernel_message_refused` for a wrong signature, a replay or bad JSON; a stream's text is read, and refused, on the way.
   */
  decode(channel: Channel, frames: Uint8Array[]): Iterable<KernelMessage> {
    const at = frames.findIndex((frame) => frame.length === DELIMITER.length && DELIMITER.equals(frame));
    if (at < 0 || frames.length < at + 1 + SIGNED_FRAMES) throw refused(channel, "it is not a Jupyter message");
    this.#verify(channel, frames[at + 1]!, frames.slice(at + 2, at + 1 + SIGNED_FRAMES));
    const message: KernelMessage = {
      channel,
      header: readPart(channel, frames[at + 2]!) as unknown as MessageHeader,
      parent_header: readPart(channel, frames[at + 3]!) as KernelMessage["parent_header"],
      metadata: readPart(channel, frames[at + 4]!),
      content: {},
      buffers: frames.slice(at + 1 + SIGNED_FRAMES),
    };
    const content = frames[at + 5]!;
    if (message.header.msg_type === "stream") return cutMessage(message, content);
    message.content = readPart(channel, content);
    giveBack(content);
    return [message];
  }

  #sign(parts: Uint8Array[]): string {
    if (this.#key === "") return "";
    const hasher = new Bun.CryptoHasher("sha256", this.#key);
    for (const part of parts) hasher.update(part);
    return hasher.digest("hex");
  }

  #verify(channel: Channel, signature: Uint8Array, parts: Uint8Array[]): void {
    if (this.#key === "") return;
    const right = this.#sign(parts);
    if (signature.length !== right.length || !timingSafeEqual(signature, Buffer.from(right)))
      throw refused(channel, "its signature is wrong");
    const short = right.slice(0, REMEMBERED_DIGITS);
    if (this.#seen.has(short)) throw refused(channel, "it was received before");
    this.#seen.add(short);
    if (this.#seen.size > REMEMBERED_SIGNATURES) this.#seen.delete(this.#seen.values().next().value!);
  }
}

/** A message of our own, ready for `encode`. */
export function makeMessage(
  channel: Channel,
  type: string,
  content: Record<string, unknown>,
  session: string,
): KernelMessage {
  const header: MessageHeader = {
    msg_id: randomUUID(),
    msg_type: type,
    session,
    username: "nuthatch",
    date: new Date().toISOString(),
    version: "5.3",
  };
  return { channel, header, parent_header: {}, metadata: {}, content, buffers: [] };
}

/** The pieces of a stream's message; the first keeps its id. */
function* cutMessage(message: KernelMessage, content: Uint8Array): Generator<KernelMessage, void> {
  const { channel, header } = message;
  let msg_id = header.msg_id;
  let pieces = 0;
  for (const value of refusing(channel, cutStream(content))) {
    yield { ...message, header: { ...header, msg_id }, content: asObject(channel, value) };
    pieces++;
    msg_id = `${header.msg_id}_${pieces}`;
  }
  giveBack(content);
}

function* refusing(channel: Channel, values: Iterable<unknown>): Generator<unknown, void> {
  try {
    yield* values;
  } catch (error) {
    throw notJson(channel, error);
  }
}

function readPart(channel: Channel, part: Uint8Array): Record<string, unknown> {
  try {
    return asObject(channel, parseJson(utf8.decode(part)));
  } catch (error) {
    throw error instanceof NuthatchError ? error : notJson(channel, error);
  }
}

function notJson(channel: Channel, error: unknown): NuthatchError {
  return refused(channel, `a part is no JSON: ${errorMessage(error)}`);
}

function asObject(channel: Channel, value: unknown): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw refused(channel, "a part is no object");
  return value as Record<string, unknown>;
}

function refused(channel: Channel, why: string): NuthatchError {
  return new NuthatchError({
    code: "kernel_message_refused",
    message: `A message on the ${channel} channel was refused: ${why}`,
    data: { channel, why },
  });
}
