import { afterEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { errorCode } from "../../../src/errors.ts";
import { encodeCommand, encodeProperties } from "../../../src/kernel/zmtp/command.ts";
import { encodeFrameHeader } from "../../../src/kernel/zmtp/frame.ts";
import { encodeGreeting } from "../../../src/kernel/zmtp/greeting.ts";
import { ZmtpSocket, type ZmtpSocketOptions } from "../../../src/kernel/zmtp/socket.ts";
import { hasPyzmq, startPyzmqPeer } from "./pyzmq-peer.ts";

const folder = mkdtempSync(join(tmpdir(), "nuthatch-zmtp-"));
const opened: { close(): void }[] = [];

afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

/** A socket whose messages are read one after the other. */
function connect(options: Omit<ZmtpSocketOptions, "onMessage">) {
  const arrived: Uint8Array[][] = [];
  let wake: (() => void) | undefined;
  const socket = new ZmtpSocket({
    ...options,
    onMessage(frames) {
      arrived.push(frames);
      wake?.();
    },
  });
  opened.push(socket);
  const next = async (): Promise<Uint8Array[]> => {
    while (arrived.length === 0)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    return arrived.shift()!;
  };
  return { socket, next };
}

function bytes(size: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, index) => index * 31);
}

/** A peer made of plain bytes, for what pyzmq cannot be made to do. */
function listen(onOpen: (socket: Bun.Socket) => void, onData: (socket: Bun.Socket, data: Buffer) => void = () => {}) {
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { open: onOpen, data: onData } });
  opened.push({ close: () => listener.stop(true) });
  return `tcp://127.0.0.1:${listener.port}`;
}

function commandFrame(name: string, data?: Uint8Array): Uint8Array {
  const body = encodeCommand(name, data);
  return Buffer.concat([encodeFrameHeader(body.length, { command: true }), body]);
}

const CLOSED_EARLY = "zmtp_connection";
const ROUTER_READY = commandFrame("READY", encodeProperties({ "Socket-Type": Buffer.from("ROUTER") }));

describe.skipIf(!hasPyzmq)("a ZMTP socket and pyzmq", () => {
  for (const transport of ["ipc", "tcp"]) {
    test(`frames of every length form come back whole over ${transport}`, async () => {
      const endpoint = transport === "ipc" ? `ipc://${folder}/echo` : undefined;
      await using peer = await startPyzmqPeer("ROUTER", endpoint);
      const { socket, next } = connect({ endpoint: peer.endpoint, type: "DEALER", identity: Buffer.from("me") });
      const frames = [0, 1, 255, 256, 65535, 65536, 5_000_000, 0].map(bytes);
      socket.send(frames);
      expect((await next()).map((frame) => Bun.hash(frame))).toEqual(frames.map((frame) => Bun.hash(frame)));
    });
  }

  test("a message sent before the peer has bound is delivered once it has", async () => {
    for (const endpoint of [`ipc://${folder}/late`, `tcp://127.0.0.1:${freePort()}`]) {
      const { socket, next } = connect({ endpoint, type: "DEALER" });
      socket.send([Buffer.from("early")]);
      await using _peer = await startPyzmqPeer("ROUTER", endpoint);
      expect((await next()).map(String)).toEqual([String(Buffer.from("early"))]);
      socket.close();
    }
  });

  test("64 MB that the peer does not read at once arrive in order", async () => {
    await using peer = await startPyzmqPeer("ROUTER", `ipc://${folder}/slow`, { RCVHWM: 1, delay: 0.01 });
    const { socket, next } = connect({ endpoint: peer.endpoint, type: "DEALER" });
    for (let index = 0; index < 16; index++) socket.send([Buffer.from(String(index)), bytes(4_000_000)]);
    for (let index = 0; index < 16; index++) {
      const [name, body] = await next();
      expect([Buffer.from(name!).toString(), body!.length]).toEqual([String(index), 4_000_000]);
    }
  });

  test("a peer that asks for heartbeats gets its answers and stays", async () => {
    const options = { HEARTBEAT_IVL: 20, HEARTBEAT_TIMEOUT: 100, delay: 0.5 };
    await using peer = await startPyzmqPeer("ROUTER", undefined, options);
    const { socket, next } = connect({ endpoint: peer.endpoint, type: "DEALER" });
    socket.send([Buffer.from("still here")]);
    expect((await next()).map((frame) => Buffer.from(frame).toString())).toEqual(["still here"]);
  });

  test("a REP heartbeat answers a DEALER that sends an empty frame first", async () => {
    await using peer = await startPyzmqPeer("REP");
    const { socket, next } = connect({ endpoint: peer.endpoint, type: "DEALER" });
    socket.send([new Uint8Array(), Buffer.from("ping")]);
    expect((await next()).map((frame) => Buffer.from(frame).toString())).toEqual(["", "ping"]);
  });

  for (const [minorVersion, form] of [
    [0, "message"],
    [1, "command"],
  ] as const) {
    test(`a subscription as a ${form} is understood`, async () => {
      await using peer = await startPyzmqPeer("XPUB");
      const { next } = connect({ endpoint: peer.endpoint, type: "SUB", minorVersion });
      expect(await peer.next()).toEqual({ subscription: "01" });
      peer.publish(["topic", 300]);
      expect((await next()).map((frame) => frame.length)).toEqual([5, 300]);
    });
  }

  test("libzmq, which closes without a word when it wants another security mechanism, ends the socket with a reason", async () => {
    await using peer = await startPyzmqPeer("ROUTER", undefined, { PLAIN_SERVER: 1 });
    const { socket } = connect({ endpoint: peer.endpoint, type: "DEALER" });
    expect((await socket.closed)?.message).toContain("only the security mechanism NULL is spoken");
  });

  test("a socket type that does not fit is refused by name", async () => {
    await using peer = await startPyzmqPeer("XPUB");
    const { socket } = connect({ endpoint: peer.endpoint, type: "DEALER" });
    // libzmq refuses us too; whoever is first, the socket ends before it is open.
    expect((await socket.closed)?.message).toMatch(/cannot talk to XPUB|closed the connection in the handshake/);
    expect(await socket.ready.catch(() => "refused")).toBe("refused");
  });

  test("a message over the limit ends the connection and names the limit", async () => {
    await using peer = await startPyzmqPeer("XPUB");
    const { socket } = connect({ endpoint: peer.endpoint, type: "SUB", maxMessageBytes: 1000 });
    await peer.next();
    peer.publish([600, 600]);
    expect(await socket.closed).toMatchObject({ code: "zmtp_message_too_large", data: { limit: 1000 } });
  });

  test("the death of the peer ends the socket at once", async () => {
    await using peer = await startPyzmqPeer("ROUTER", `ipc://${folder}/killed`);
    const { socket } = connect({ endpoint: peer.endpoint, type: "DEALER" });
    await socket.ready;
    process.kill(peer.pid, "SIGKILL");
    expect(await socket.closed).toBeUndefined();
  });
});

describe("a ZMTP socket and a peer of plain bytes", () => {
  test("PING is answered by PONG with the same context", async () => {
    const pong = Promise.withResolvers<Buffer>();
    const ping = Buffer.concat([Uint8Array.of(0, 10), Buffer.from("context")]);
    let received = Buffer.alloc(0);
    const endpoint = listen(
      (peer) => peer.write(Buffer.concat([encodeGreeting(1), ROUTER_READY, commandFrame("PING", ping)])),
      (_, data) => {
        received = Buffer.concat([received, data]);
        if (received.includes("PONG")) pong.resolve(received);
      },
    );
    connect({ endpoint, type: "DEALER" });
    const answer = Buffer.from(commandFrame("PONG", Buffer.from("context")));
    expect((await pong.promise).subarray(-answer.length)).toEqual(answer);
  });

  test("an ERROR in the handshake is passed on in the peer's words", async () => {
    const reason = Buffer.from("\x0anot today!");
    const endpoint = listen((peer) => peer.write(Buffer.concat([encodeGreeting(1), commandFrame("ERROR", reason)])));
    const { socket } = connect({ endpoint, type: "DEALER" });
    expect(await socket.closed).toMatchObject({ message: `${endpoint}: the peer refused: not today!` });
  });

  const broken: [string, Uint8Array, string][] = [
    ["HTTP", Buffer.from(`HTTP/1.1 400 Bad Request\r\n\r\n${" ".repeat(64)}`), "the peer does not speak ZMTP"],
    ["the mechanism CURVE", curveGreeting(), "the peer asks for the security mechanism CURVE, only NULL is spoken"],
    ["ZMTP 2", encodeGreeting(0).with(10, 2), "the peer speaks ZMTP 2.0, 3.0 or newer is needed"],
    [
      "a message before READY",
      Buffer.concat([encodeGreeting(1), Uint8Array.of(0, 1, 65)]),
      "a message came before READY",
    ],
    ["another command first", Buffer.concat([encodeGreeting(1), commandFrame("HELLO")]), "expected READY, got HELLO"],
    ["unknown flags", Buffer.concat([encodeGreeting(1), Uint8Array.of(64, 0)]), "a frame has the unknown flags 64"],
    [
      "a nameless command",
      Buffer.concat([encodeGreeting(1), Uint8Array.of(4, 0)]),
      "a command frame has no valid name",
    ],
    [
      "a cut READY",
      Buffer.concat([encodeGreeting(1), commandFrame("READY", Uint8Array.of(4, 65))]),
      "the READY command is cut short",
    ],
    ["READY twice", Buffer.concat([encodeGreeting(1), ROUTER_READY, ROUTER_READY]), "READY came twice"],
  ];
  for (const [name, sent, reason] of broken) {
    test(`a peer that sends ${name} is refused`, async () => {
      const endpoint = listen((peer) => peer.write(sent));
      const { socket } = connect({ endpoint, type: "DEALER" });
      expect(await socket.closed).toMatchObject({ code: "zmtp_protocol", message: `${endpoint}: ${reason}` });
    });
  }

  test("a frame that announces more than the limit is refused before memory is taken for it", async () => {
    const huge = Uint8Array.of(2, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff);
    const endpoint = listen((peer) => peer.write(Buffer.concat([encodeGreeting(1), ROUTER_READY, huge])));
    const { socket } = connect({ endpoint, type: "DEALER" });
    expect(await socket.closed).toMatchObject({ code: "zmtp_message_too_large" });
  });

  const halves: [string, Uint8Array, string | undefined][] = [
    ["the greeting", encodeGreeting(1).subarray(0, 20), CLOSED_EARLY],
    ["READY", Buffer.concat([encodeGreeting(1), ROUTER_READY.subarray(0, 9)]), CLOSED_EARLY],
    ["a message", Buffer.concat([encodeGreeting(1), ROUTER_READY, Uint8Array.of(0, 200, 1, 2, 3)]), undefined],
  ];
  for (const [name, sent, code] of halves) {
    test(`a peer that closes halfway through ${name} ends the socket and nothing is delivered`, async () => {
      const endpoint = listen((peer) => {
        peer.write(sent);
        peer.end();
      });
      let delivered = 0;
      const socket = new ZmtpSocket({
        endpoint,
        type: "DEALER",
        onMessage: () => {
          delivered++;
        },
      });
      opened.push(socket);
      expect(errorCode(await socket.closed)).toBe(code);
      expect(delivered).toBe(0);
    });
  }

  test("a socket closed while it is still looking for its peer stops looking", async () => {
    const port = freePort();
    const { socket } = connect({ endpoint: `tcp://127.0.0.1:${port}`, type: "DEALER" });
    socket.close();
    expect(await socket.ready.catch((error) => error.code)).toBe("zmtp_connection");
    expect(await socket.closed).toBeUndefined();
  });

  test("an error that no retry can mend ends the socket", async () => {
    const { socket } = connect({ endpoint: `ipc:///${"long".repeat(40)}`, type: "DEALER" });
    expect(await socket.closed).toMatchObject({ code: "zmtp_connection" });
  });
});

function curveGreeting(): Uint8Array {
  const greeting = encodeGreeting(1);
  greeting.set(Buffer.from("CURVE"), 12);
  return greeting;
}

function freePort(): number {
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  listener.stop(true);
  return listener.port;
}
