// Four connections of one kernel and, on demand, its heartbeat. They open by themselves once the kernel binds its sockets,
// and close by `close`, which the incarnation calls when the process has ended.
import { NuthatchError } from "../errors.ts";
import { logLine } from "../log.ts";
import type { Connection } from "./connection-file.ts";
import type { Channel, KernelMessage } from "./message.ts";
import { MessageSigner } from "./message-signer.ts";
import { ZmtpSocket } from "./zmtp/socket.ts";

const CHANNELS: Channel[] = ["shell", "iopub", "stdin", "control"];
const EMPTY = new Uint8Array();

/** The channels of one kernel process. Messages that are no valid, signed Jupyter messages are dropped with a line on stderr. */
export class KernelChannels {
  /** Resolves when the first channel has ended, with the reason if there was one. */
  readonly broken: Promise<Error | undefined>;
  /** Resolves when all channels have ended: nothing more will arrive. */
  readonly ended: Promise<unknown>;
  readonly #connection: Connection;
  readonly #signer: MessageSigner;
  readonly #complaints = new Set<string>();
  readonly #listeners = new Set<(message: KernelMessage) => void>();
  readonly #sockets: Record<Channel, ZmtpSocket>;

  /** `identity` is shared by shell and stdin, because a kernel sends `input_request` to whom the shell request came from. */
  constructor(connection: Connection, identity: string) {
    this.#connection = connection;
    this.#signer = new MessageSigner(connection.key);
    const open = (channel: Channel) =>
      new ZmtpSocket({
        endpoint: connection.endpoints[channel],
        ...(channel === "iopub" ? { type: "SUB" } : { type: "DEALER", identity: Buffer.from(identity) }),
        onMessage: (frames) => this.#receive(channel, frames),
      });
    this.#sockets = Object.fromEntries(CHANNELS.map((channel) => [channel, open(channel)])) as Record<
      Channel,
      ZmtpSocket
    >;
    const ends = Object.values(this.#sockets).map((socket) => socket.closed);
    this.broken = Promise.race(ends);
    this.ended = Promise.all(ends);
  }

  /** Calls the listener with every message of every channel, in the order of arrival. Returns the unsubscriber. */
  subscribe(listener: (message: KernelMessage) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** Sends a request on its channel; before the kernel has bound its sockets it waits here. */
  send(message: KernelMessage): void {
    this.#sockets[message.channel].send(this.#signer.encode(message));
  }

  /**
   * Whether the kernel's heartbeat answers within `timeout` milliseconds. No answer is no proof of death: a call into C may
   * hold the interpreter's lock. Death is seen by the process's exit.
   */
  async beat(timeout: number): Promise<boolean> {
    const answered = Promise.withResolvers<boolean>();
    const socket = new ZmtpSocket({
      endpoint: this.#connection.endpoints.hb,
      type: "DEALER",
      onMessage: () => answered.resolve(true),
    });
    const limit = setTimeout(() => answered.resolve(false), timeout);
    socket.closed.then(() => answered.resolve(false));
    socket.send([EMPTY, Buffer.from("ping")]);
    const alive = await answered.promise;
    clearTimeout(limit);
    socket.close();
    return alive;
  }

  /** Gives up the channels that never reached the kernel, so that `ended` waits only for those that may still bring something. */
  stopConnecting(): void {
    for (const socket of Object.values(this.#sockets)) if (!socket.connected) socket.close();
  }

  /** Closes all connections. Idempotent. */
  close(): void {
    for (const socket of Object.values(this.#sockets)) socket.close();
  }

  #receive(channel: Channel, frames: Uint8Array[]): void {
    try {
      for (const message of this.#signer.decode(channel, frames))
        for (const listener of this.#listeners) listener(message);
    } catch (error) {
      if (!(error instanceof NuthatchError && error.code === "kernel_message_refused")) throw error;
      this.#complain(error.message);
    }
  }

  /** Each complaint is written once: a kernel that signs wrongly does so with every message. */
  #complain(complaint: string): void {
    if (!this.#complaints.has(complaint)) logLine(complaint);
    this.#complaints.add(complaint);
  }
}
