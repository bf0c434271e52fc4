// A client of a kernel, known by its `session_id`: connected (a receiver takes each message at once) or parked (messages
// wait in order for the same client to come back). The kernel's `HostedKernel` owns it; `close` ends its socket.

import type { KernelMessage } from "../kernel/message.ts";

/** The socket's side of a link. */
export interface Receiver {
  receive(message: KernelMessage): void;
  /** The kernel was shut down, or another socket took the same session over. */
  closed(): void;
}

export class ClientLink {
  #receiver: Receiver | undefined;
  #parked: KernelMessage[] = [];

  get connected(): boolean {
    return this.#receiver !== undefined;
  }

  attach(receiver: Receiver): void {
    const former = this.#receiver;
    this.#receiver = receiver;
    former?.closed();
    const parked = this.#parked;
    this.#parked = [];
    for (const message of parked) this.deliver(message);
  }

  detach(receiver: Receiver): void {
    if (this.#receiver === receiver) this.#receiver = undefined;
  }

  deliver(message: KernelMessage): void {
    if (this.#receiver === undefined) this.#parked.push(message);
    else this.#receiver.receive(message);
  }

  /** Drops what waits for a client that is away. */
  forget(): void {
    this.#parked = [];
  }

  close(): void {
    this.#receiver?.closed();
    this.#receiver = undefined;
    this.#parked = [];
  }
}
