import { describe, expect, test } from "bun:test";
import { ZmtpSession } from "../../../src/kernel/zmtp/session.ts";
import { hasPyzmq, startPyzmqPeer } from "./pyzmq-peer.ts";

/** Three messages: frames of no, one, short, and long length, after each other. */
const PUBLISHED = [["first"], [0, 1, 255, 256], ["third", 3000]];

/** The real bytes of a pyzmq XPUB from its greeting to its third message, and the messages as they should be read. */
async function record(): Promise<{ stream: Uint8Array; messages: string[][] }> {
  await using peer = await startPyzmqPeer("XPUB");
  const pieces: Buffer[] = [];
  const messages: string[][] = [];
  const done = Promise.withResolvers<void>();
  const url = new URL(peer.endpoint);
  const written = Promise.withResolvers<Bun.Socket>();
  const session = openSession(messages, (bytes) => written.promise.then((socket) => socket.write(bytes)));
  const socket = await Bun.connect({
    hostname: url.hostname,
    port: Number(url.port),
    socket: {
      data(_, piece) {
        pieces.push(Buffer.from(piece));
        session.receive(piece);
        if (messages.length === PUBLISHED.length) done.resolve();
      },
    },
  });
  session.start();
  written.resolve(socket);
  await peer.next();
  for (const frames of PUBLISHED) peer.publish(frames);
  await done.promise;
  socket.terminate();
  return { stream: Buffer.concat(pieces), messages };
}

function openSession(messages: string[][], write: (bytes: Uint8Array) => void = () => {}): ZmtpSession {
  const session: ZmtpSession = new ZmtpSession(
    { endpoint: "recorded", type: "SUB" },
    {
      write: (pieces) => write(Buffer.concat(pieces)),
      open: () => session.subscribe(new Uint8Array()),
      message: (frames) => messages.push(frames.map((frame) => Buffer.from(frame).toString())),
    },
  );
  return session;
}

describe.skipIf(!hasPyzmq)("a ZMTP session fed with what pyzmq sent", () => {
  test("reads the same messages wherever the stream is cut in two", async () => {
    const { stream, messages } = await record();
    expect(messages).toEqual([["first"], ["", "x", "x".repeat(255), "x".repeat(256)], ["third", "x".repeat(3000)]]);
    for (let cut = 0; cut <= stream.length; cut++) {
      const read: string[][] = [];
      const session = openSession(read);
      session.receive(stream.slice(0, cut));
      session.receive(stream.slice(cut));
      expect(read).toEqual(messages);
    }
  });

  test("reads the same messages when every byte comes alone", async () => {
    const { stream, messages } = await record();
    const read: string[][] = [];
    const session = openSession(read);
    for (const byte of stream) session.receive(Uint8Array.of(byte));
    expect(read).toEqual(messages);
  });
});
