import type { KernelMessage } from "@jupyterlab/services";

/** Text of messages, in UTF-16 units, after which what they left is worth collecting; more where much is in use. */
const WORTH = 2 * 2 ** 20;

/**
 * Collects what the messages of a long output leave: each is copied several times on its way, and the engine by itself lets
 * such garbage grow to several times of what is in use.
 */
export class MessageGarbage {
  #units = 0;
  #limit = WORTH;

  count({ content }: KernelMessage.IIOPubMessage): void {
    this.#units += unitsOf(content as { text?: unknown; data?: unknown });
    if (this.#units < this.#limit) return;
    this.#units = 0;
    Bun.gc(true);
    this.#limit = Math.max(WORTH, process.memoryUsage().heapUsed / 4);
  }
}

function unitsOf({ text, data }: { text?: unknown; data?: unknown }): number {
  const values = typeof data === "object" && data !== null ? Object.values(data) : [text];
  return values.reduce<number>((sum, value) => sum + (typeof value === "string" ? value.length : 0), 0);
}
