// States: connecting (retried) -> handshake -> open -> closed. The creator closes it by `close`; the peer's end, a broken
// protocol and a failed connection close it too. `closed` resolves exactly once, with the reason if there was one.
import { existsSync } from "node:fs";
import type { Socket } from "bun";
import { errorCode, errorMessage } from "../../errors.ts";
import { connectionLost } from "./errors.ts";
import { type SessionOptions, ZmtpSession } from "./session.ts";
import { WriteQueue } from "./write-queue.ts";

/** What to connect and who listens. `endpoint` is `ipc://<path>` or `tcp://<host>:<port>`. */
export interface ZmtpSocketOptions extends SessionOptions {
  onMessage(frames: Uint8Array[]): void;
}

/** The peer is not there yet: the only two errors that are worth another try. */
const RETRIED = new Set(["ECONNREFUSED", "ENOENT"]);
/** The first tries come quickly: a kernel is ready some milliseconds after it has bound its sockets. Milliseconds. */
const FIRST_DELAY = 1;
const LONGEST_DELAY = 10;
const DELAY_GROWTH = 1.02;

/** A client's end of one ZMTP connection. Messages sent before it is open wait; a SUB hears everything. */
export class ZmtpSocket {
  /** Resolves when the handshake is done, rejects when the connection fails first. */
  readonly ready: Promise<void>;
  /** Resolves when the connection is gone: with the reason, or undefined after `close` and a peer's orderly end. */
  readonly closed: Promise<Error | undefined>;
  readonly #options: ZmtpSocketOptions;
  readonly #session: ZmtpSession;
  readonly #queue = new WriteQueue();
  readonly #ready = Promise.withResolvers<void>();
  readonly #closed = Promise.withResolvers<Error | undefined>();
  #waiting: Uint8Array[][] | undefined = [];
  #retry: Timer | undefined;
  #socket: Socket | undefined;
  #ended = false;

  constructor(options: ZmtpSocketOptions) {
    this.#options = options;
    this.ready = this.#ready.promise;
    this.closed = this.#closed.promise;
    this.ready.catch(() => {});
    this.#session = new ZmtpSession(options, {
      write: (pieces) => this.#queue.push(pieces, this.#socket),
      open: () => this.#open(),
      message: (frames) => options.onMessage(frames),
    });
    this.#connect(FIRST_DELAY);
  }

  /** Whether there is a peer, so that something may still arrive. */
  get connected(): boolean {
    return this.#socket !== undefined && !this.#ended;
  }

  /** Sends one message, or keeps it until the connection is open; after the end it is dropped. */
  send(frames: Uint8Array[]): void {
    if (this.#ended) return;
    if (this.#waiting) this.#waiting.push(frames);
    else this.#session.send(frames);
  }

  /** Ends the connection at once. Idempotent. */
  close(): void {
    this.#end(undefined);
  }

  #connect(delay: number): void {
    const socket = {
      open: (opened: Socket) => this.#opened(opened, delay),
      data: (_: Socket, piece: Buffer) => this.#receive(piece),
      drain: (drained: Socket) => this.#queue.flush(drained),
      close: (closed: Socket) => {
        if (closed === this.#socket) this.#end(this.#waiting && this.#refused());
      },
      error: (_: Socket, error: Error) => this.#end(connectionLost(this.#options.endpoint, errorMessage(error), error)),
      // The same error rejects the promise below; without this handler Bun would report it twice.
      connectError: () => {},
    };
    const address = parseEndpoint(this.#options.endpoint);
    const attempt = "unix" in address ? Bun.connect({ ...address, socket }) : Bun.connect({ ...address, socket });
    attempt.catch((error) => this.#failed(error, delay));
  }

  #failed(error: unknown, delay: number): void {
    if (this.#ended) return;
    if (RETRIED.has(errorCode(error) ?? "")) this.#connectLater(delay);
    else this.#end(connectionLost(this.#options.endpoint, `cannot connect: ${errorMessage(error)}`, error));
  }

  /** A look at a local socket's path costs a tenth of what a failed connection does, while the kernel needs the processor. */
  #connectLater(delay: number): void {
    const next = Math.min(delay * DELAY_GROWTH, LONGEST_DELAY);
    const address = parseEndpoint(this.#options.endpoint);
    this.#retry = setTimeout(() => {
      if ("unix" in address && !existsSync(address.unix)) this.#connectLater(next);
      else this.#connect(next);
    }, delay);
  }

  #opened(socket: Socket, delay: number): void {
    const meetsItself = isConnectedToItself(socket);
    if (this.#ended || meetsItself) {
      socket.terminate();
      if (!this.#ended) this.#connectLater(delay);
    } else {
      this.#socket = socket;
      this.#session.start();
    }
  }

  #open(): void {
    if (this.#options.type === "SUB") this.#session.subscribe(new Uint8Array());
    for (const frames of this.#waiting ?? []) this.#session.send(frames);
    this.#waiting = undefined;
    this.#ready.resolve();
  }

  /** A peer that closes before READY says no more than that; libzmq does so when it wants another security mechanism. */
  #refused(): Error {
    const what = "the peer closed the connection in the handshake; only the security mechanism NULL is spoken";
    return connectionLost(this.#options.endpoint, what);
  }

  #receive(piece: Uint8Array): void {
    if (this.#ended) return;
    try {
      this.#session.receive(piece);
    } catch (error) {
      this.#end(error instanceof Error ? error : connectionLost(this.#options.endpoint, String(error)));
    }
  }

  #end(reason: Error | undefined): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#retry);
    this.#socket?.terminate();
    this.#ready.reject(reason ?? connectionLost(this.#options.endpoint, "closed before the handshake was done"));
    this.#closed.resolve(reason);
  }
}

/**
 * A try on an even, unbound port of the ephemeral range can be given that same port as its own and meet itself (a simultaneous
 * open), which takes the port from the kernel that was about to bind it.
 */
function isConnectedToItself(socket: Socket): boolean {
  return (
    socket.localPort !== undefined &&
    socket.localPort === socket.remotePort &&
    socket.localAddress === socket.remoteAddress
  );
}

function parseEndpoint(endpoint: string): { unix: string } | { hostname: string; port: number } {
  if (endpoint.startsWith("ipc://")) return { unix: endpoint.slice("ipc://".length) };
  const url = new URL(endpoint);
  return { hostname: url.hostname.replace(/^\[|\]$/g, ""), port: Number(url.port) };
}
