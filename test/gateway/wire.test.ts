import { describe, expect, test } from "bun:test";
import { ServerConnection } from "@jupyterlab/services";
import fc from "fast-check";
import { errorCode } from "../../src/errors.ts";
import { decodeMessage, encodeMessage, V1_PROTOCOL } from "../../src/gateway/wire.ts";
import type { KernelMessage } from "../../src/kernel/message.ts";
import { message } from "./fake-kernel.ts";

const { serializer } = ServerConnection.makeSettings();
const PROTOCOLS = [
  { name: "JSON", v1: false, protocol: "" },
  { name: "v1", v1: true, protocol: V1_PROTOCOL },
];

const messages = fc
  .record({
    content: fc.dictionary(fc.string(), fc.jsonValue()),
    buffers: fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 3 }),
  })
  .map(({ content, buffers }) => ({ ...message("shell", "comm_msg", plain(content)), buffers }));

function plain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value));
}

function same(left: KernelMessage, right: KernelMessage): void {
  const { channel, header, parent_header, metadata, content } = left;
  expect(plain({ channel, header, parent_header, metadata, content })).toEqual(
    plain({
      channel: right.channel,
      header: right.header,
      parent_header: right.parent_header,
      metadata: right.metadata,
      content: right.content,
    }),
  );
  expect(left.buffers.map((buffer) => [...bytesOf(buffer)])).toEqual(
    right.buffers.map((buffer) => [...bytesOf(buffer)]),
  );
}

function bytesOf(buffer: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
}

for (const { name, v1, protocol } of PROTOCOLS) {
  describe(`a message in ${name}`, () => {
    test("is the same after both ways", () => {
      fc.assert(fc.property(messages, (sent) => same(decodeMessage(encodeMessage(sent, v1), v1), sent)));
    });

    test("is read by JupyterLab's client, and read from it", () => {
      fc.assert(
        fc.property(messages, (sent) => {
          const frame = encodeMessage(sent, v1);
          const data = typeof frame === "string" ? frame : Uint8Array.from(frame).buffer;
          same(serializer.deserialize(data as ArrayBuffer, protocol) as never, sent);
          const theirs = serializer.serialize(
            { ...sent, buffers: sent.buffers.map((buffer) => Uint8Array.from(buffer)) } as never,
            protocol,
          );
          same(decodeMessage(typeof theirs === "string" ? theirs : new Uint8Array(theirs), v1), sent);
        }),
      );
    });
  });
}

test("a message without a channel is for the shell", () => {
  const { channel, ...sent } = JSON.parse(encodeMessage(message("shell", "kernel_info_request"), false) as string);
  expect(channel).toBe("shell");
  expect(decodeMessage(JSON.stringify(sent), false)).toMatchObject({ channel: "shell", header: sent.header });
});

describe("what is no message", () => {
  const broken = [
    "",
    "{}",
    "null",
    '{"channel":"shell","header":{}}',
    '{"channel":"nowhere","header":{"msg_id":"1","msg_type":"x"}}',
  ];

  test("is refused with a code, whatever the bytes", () => {
    for (const text of broken) expect(errorCode(caught(() => decodeMessage(text, false)))).toBe("invalid_message");
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), fc.boolean(), (bytes, v1) => {
        const error = caught(() => decodeMessage(bytes, v1));
        expect(errorCode(error)).toBe("invalid_message");
      }),
    );
  });
});

function caught(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  return undefined;
}
