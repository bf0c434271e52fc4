import type { KernelMessage } from "./message.ts";

/** Tells messages that answer our own requests from those that the kernel's clients wait for. */
export class OwnRequests {
  readonly #ids = new Set<string>();

  /** Notes a request of ours before it is sent. */
  note(request: KernelMessage): KernelMessage {
    this.#ids.add(request.header.msg_id);
    return request;
  }

  /** Whether the message belongs to a request of ours. */
  answeredBy(message: KernelMessage): boolean {
    return this.#ids.has(message.parent_header.msg_id ?? "");
  }
}
