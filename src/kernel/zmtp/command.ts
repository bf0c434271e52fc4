import { protocolError } from "./errors.ts";

/** A command's name and what follows it (RFC 37, "Commands"). */
export interface Command {
  name: string;
  data: Uint8Array;
}

/** The body of a command frame: the name's length, the name, the data. */
export function encodeCommand(name: string, data: Uint8Array = new Uint8Array()): Uint8Array {
  const nameBytes = Buffer.from(name, "latin1");
  return Buffer.concat([Uint8Array.of(nameBytes.length), nameBytes, data]);
}

/** Takes a command frame's body apart. */
export function decodeCommand(endpoint: string, body: Uint8Array): Command {
  const size = body[0];
  if (size === undefined || size === 0 || body.length < 1 + size)
    throw protocolError(endpoint, "a command frame has no valid name");
  return { name: Buffer.from(body.subarray(1, 1 + size)).toString("latin1"), data: body.subarray(1 + size) };
}

/** The properties of a READY command (RFC 37, "The NULL Security Mechanism"): name, 4-byte length, value, and so on. */
export function encodeProperties(properties: Record<string, Uint8Array>): Uint8Array {
  return Buffer.concat(
    Object.entries(properties).flatMap(([name, value]) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(value.length);
      return [Uint8Array.of(name.length), Buffer.from(name, "latin1"), length, value];
    }),
  );
}

/** Reads a READY command's properties; their names are compared without case, so they are given in lower case. */
export function decodeProperties(endpoint: string, data: Uint8Array): Record<string, Uint8Array> {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const properties: Record<string, Uint8Array> = {};
  let at = 0;
  while (at < bytes.length) {
    const nameEnd = at + 1 + bytes[at]!;
    const valueAt = nameEnd + 4;
    const valueEnd = valueAt <= bytes.length ? valueAt + bytes.readUInt32BE(nameEnd) : Number.POSITIVE_INFINITY;
    if (valueEnd > bytes.length) throw protocolError(endpoint, "the READY command is cut short");
    properties[bytes.toString("latin1", at + 1, nameEnd).toLowerCase()] = bytes.subarray(valueAt, valueEnd);
    at = valueEnd;
  }
  return properties;
}

/** The reason in an ERROR command's data: its length and the text. */
export function decodeReason(data: Uint8Array): string {
  return Buffer.from(data.subarray(1, 1 + (data[0] ?? 0))).toString("utf8");
}
