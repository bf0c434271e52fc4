import type { Channel, KernelMessage } from "../kernel/message.ts";
import { invalidMessage } from "./errors.ts";

/** The subprotocol that a client may ask for; without it messages are JSON (Jupyter Server, "WebSocket protocols"). */
export const V1_PROTOCOL = "v1.kernel.websocket.jupyter.org";

const CHANNELS = new Set(["shell", "iopub", "stdin", "control"]);

/** A message as a WebSocket frame: text, or bytes where there are buffers or `v1` was chosen. */
export function encodeMessage(message: KernelMessage, v1: boolean): string | Uint8Array {
  if (v1) return encodeV1(message);
  const json = JSON.stringify(withoutBuffers(message));
  return message.buffers.length === 0 ? json : encodeWithBuffers(json, message.buffers);
}

/** Reads a frame. Throws `invalid_message` for anything that is not a Jupyter message. */
export function decodeMessage(frame: string | Uint8Array, v1: boolean): KernelMessage {
  try {
    if (typeof frame === "string") return readMessage(JSON.parse(frame), []);
    return v1 ? decodeV1(frame) : decodeWithBuffers(frame);
  } catch (error) {
    throw invalidMessage(error);
  }
}

/** Jupyter's own servers repeat the id and the type beside the header, and clients read them there. */
function withoutBuffers({ header, parent_header, metadata, content, channel }: KernelMessage): object {
  const { msg_id, msg_type } = header;
  return { header, msg_id, msg_type, parent_header, metadata, content, buffers: [], channel };
}

/** JSON, then the buffers; before them their number and offsets, 32 bits each, big-endian. */
function encodeWithBuffers(json: string, buffers: Uint8Array[]): Uint8Array {
  const parts = [Buffer.from(json), ...buffers];
  const head = Buffer.alloc(4 * (parts.length + 1));
  head.writeUInt32BE(parts.length, 0);
  let offset = head.length;
  for (const [index, part] of parts.entries()) {
    head.writeUInt32BE(offset, 4 * (index + 1));
    offset += part.length;
  }
  return Buffer.concat([head, ...parts]);
}

function decodeWithBuffers(frame: Uint8Array): KernelMessage {
  const bytes = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength);
  const count = bytes.readUInt32BE(0);
  if (count === 0 || count > bytes.length / 4) throw new RangeError(`a message of ${count} parts`);
  const offsets = Array.from({ length: count }, (_, index) => bytes.readUInt32BE(4 * (index + 1)));
  const [json, ...buffers] = cut(bytes, [...offsets, bytes.length]);
  return readMessage(JSON.parse((json as Buffer).toString()), buffers);
}

/** Channel, the four dictionaries and the buffers; before them the number of offsets and these, 64 bits, little-endian. */
function encodeV1(message: KernelMessage): Uint8Array {
  const { channel, header, parent_header, metadata, content, buffers } = message;
  const dictionaries = [header, parent_header, metadata, content].map((part) => Buffer.from(JSON.stringify(part)));
  const parts = [Buffer.from(channel), ...dictionaries, ...buffers];
  const head = Buffer.alloc(8 * (parts.length + 2));
  head.writeBigUInt64LE(BigInt(parts.length + 1), 0);
  let offset = head.length;
  for (const [index, part] of parts.entries()) {
    head.writeBigUInt64LE(BigInt(offset), 8 * (index + 1));
    offset += part.length;
  }
  head.writeBigUInt64LE(BigInt(offset), 8 * (parts.length + 1));
  return Buffer.concat([head, ...parts]);
}

function decodeV1(frame: Uint8Array): KernelMessage {
  const bytes = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength);
  const count = Number(bytes.readBigUInt64LE(0));
  if (count < 6 || count > bytes.length / 8) throw new RangeError(`a message of ${count} offsets`);
  const offsets = Array.from({ length: count }, (_, index) => Number(bytes.readBigUInt64LE(8 * (index + 1))));
  const [channel, header, parent_header, metadata, content, ...buffers] = cut(bytes, offsets);
  const [head, parent, meta, body] = [header, parent_header, metadata, content].map((part) =>
    JSON.parse((part as Buffer).toString()),
  );
  return readMessage(
    { channel: String(channel), header: head, parent_header: parent, metadata: meta, content: body },
    buffers,
  );
}

/** The stretches between offsets that rise within the bytes. */
function cut(bytes: Buffer, offsets: number[]): Buffer[] {
  return offsets.slice(1).map((end, index) => {
    const start = offsets[index] as number;
    if (start > end || end > bytes.length)
      throw new RangeError(`the offsets ${start} and ${end} of ${bytes.length} bytes`);
    return bytes.subarray(start, end);
  });
}

function readMessage(value: unknown, buffers: Uint8Array[]): KernelMessage {
  // Without a channel it is for the shell, as jupyter_server has it: its own GatewayKernelClient names none.
  const { channel = "shell", header, parent_header, metadata, content } = asObject(value, "a message");
  if (typeof channel !== "string" || !CHANNELS.has(channel)) throw new TypeError(`the channel ${String(channel)}`);
  const head = asObject(header, "a header");
  if (typeof head.msg_id !== "string" || typeof head.msg_type !== "string")
    throw new TypeError("a header without id or type");
  return {
    channel: channel as Channel,
    header: head as unknown as KernelMessage["header"],
    parent_header: (parent_header ?? {}) as KernelMessage["parent_header"],
    metadata: asObject(metadata ?? {}, "metadata"),
    content: asObject(content ?? {}, "content"),
    buffers,
  };
}

function asObject(value: unknown, what: string): Record<string, unknown> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new TypeError(`${what} that is no object`);
}
