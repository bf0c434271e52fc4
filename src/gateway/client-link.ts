// A client of a kernel, known by its `session_id`. Ready (a receiver takes each message at once), slow (the receiver has asked
// to wait) or parked (no socket); in the last two, messages wait in order. HostedKernel owns it; `close` ends its socket.

import type { KernelMessage } from "../kernel/message.ts";
import { MessageBacklog } from "./message-backlog.ts";

/** The socket's side of a link. */
export interface Receiver {
  /** False asks to wait: nothing more comes until the connection's `resume`. The message itself was taken. */
  receive(message: KernelMessage): boolean;
  /** The kernel was shut down, another socket took the session over, or what waits for this one has become too much. */
  closed(): void;
}

export class ClientLink {
  readonly #backlog: MessageBacklog;
  #receiver: Receiver | undefined;
  #waiting = false;
  #parkedAt = performance.now();

  constructor(spillFolder: string) {
    this.#backlog = new MessageBacklog(spillFolder);
  }

  get connected(): boolean {
    return this.#receiver !== undefined;
  }

  /** Milliseconds since its socket went; 0 while it has one. */
  get parkedFor(): number {
    return this.connected ? 0 : performance.now() - this.#parkedAt;
  }

  attach(receiver: Receiver): void {
    const former = this.#receiver;
    this.#receiver = receiver;
    former?.closed();
    this.resume(receiver);
  }

  detach(receiver: Receiver): void {
    if (this.#receiver !== receiver) return;
    this.#receiver = undefined;
    this.#parkedAt = performance.now();
  }

  /** The receiver takes messages again. */
  resume(receiver: Receiver): void {
    if (this.#receiver !== receiver) return;
    this.#waiting = false;
    while (this.#receiver === receiver && !this.#waiting) {
      const message = this.#backlog.shift();
      if (message === undefined) return;
      this.#waiting = !receiver.receive(message);
    }
  }

  deliver(message: KernelMessage): void {
    if (this.#receiver !== undefined && !this.#waiting && this.#backlog.isEmpty) {
      this.#waiting = !this.#receiver.receive(message);
    } else if (!this.#backlog.add(message)) this.close();
  }

  /** Drops what waits for a client that is away. */
  forget(): void {
    this.#backlog.clear();
  }

  close(): void {
    const receiver = this.#receiver;
    this.#receiver = undefined;
    this.#backlog.clear();
    receiver?.closed();
  }
}
