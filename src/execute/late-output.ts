import type { KernelMessage } from "@jupyterlab/services";

/** A thread may print for hours before the next call; the end of it is what tells most. */
const MOST_UNITS = 20_000;

/** Text of a session that belongs to no running cell, kept until the next call asks for it. */
export class LateOutput {
  #text = "";
  #dropped = false;

  receive(message: KernelMessage.IIOPubMessage): void {
    const added = textOf(message);
    if (added === "") return;
    this.#text += added;
    if (this.#text.length <= 2 * MOST_UNITS) return;
    this.#text = this.#text.slice(-MOST_UNITS);
    this.#dropped = true;
  }

  take(): string {
    const text = this.#dropped ? `[its beginning was dropped]\n${this.#text}` : this.#text;
    this.#text = "";
    this.#dropped = false;
    return text;
  }
}

function textOf(message: KernelMessage.IIOPubMessage): string {
  const content = message.content as { text?: unknown; data?: Record<string, unknown>; traceback?: string[] };
  switch (message.header.msg_type) {
    case "stream":
      return typeof content.text === "string" ? content.text : "";
    case "display_data":
    case "execute_result":
      return typeof content.data?.["text/plain"] === "string" ? `${content.data["text/plain"]}\n` : "";
    case "error":
      return `${content.traceback?.join("\n") ?? ""}\n`;
    default:
      return "";
  }
}
