import { errorMessage } from "../errors.ts";
import type { KernelMessage } from "../kernel/message.ts";
import { logLine } from "../log.ts";
import type { Connection } from "./hosted-kernel.ts";
import type { KernelHost } from "./kernel-host.ts";

/** The part of the browser's `WebSocket` that a Jupyter client uses; messages travel as objects, without JSON between. */
export interface MemorySocket {
  onopen: (event: { type: "open" }) => void;
  onmessage: (event: { type: "message"; data: KernelMessage }) => void;
  onclose: (event: { type: "close"; code: number; reason: string }) => void;
  onerror: (event: { type: "error" }) => void;
  readonly protocol: string;
  readonly readyState: number;
  binaryType: string;
  send(message: KernelMessage): void;
  close(code?: number): void;
}

const NORMAL = 1000;
const GONE = 4404;

/** A `WebSocket` class whose sockets reach the `/channels` of this host's kernels in the same process: no port, no bytes. */
export function createMemorySocketClass(host: KernelHost): new (url: string | URL) => MemorySocket {
  return class implements MemorySocket {
    onopen: MemorySocket["onopen"] = ignore;
    onmessage: MemorySocket["onmessage"] = ignore;
    onclose: MemorySocket["onclose"] = ignore;
    onerror: MemorySocket["onerror"] = ignore;
    readonly protocol = "";
    binaryType = "arraybuffer";
    readyState: number = WebSocket.CONNECTING;
    #connection: Connection | undefined;

    constructor(url: string | URL) {
      // Handlers are set after the constructor returns, so the opening waits for that.
      queueMicrotask(() => this.#open(new URL(url)));
    }

    send(message: KernelMessage): void {
      if (this.readyState === WebSocket.OPEN) this.#connection?.send(message);
    }

    close(code = NORMAL): void {
      if (this.readyState === WebSocket.CLOSED) return;
      this.readyState = WebSocket.CLOSED;
      this.#connection?.close();
      this.onclose({ type: "close", code, reason: "" });
    }

    #open(url: URL): void {
      if (this.readyState !== WebSocket.CONNECTING) return;
      const [, id = ""] = /\/api\/kernels\/([^/]+)\/channels$/.exec(url.pathname) ?? [];
      const session = url.searchParams.get("session_id") ?? undefined;
      this.#connection = host.connect(decodeURIComponent(id), session);
      if (this.#connection === undefined) {
        this.close(GONE);
        return;
      }
      this.readyState = WebSocket.OPEN;
      // A client asks for kernel_info in its `onopen` and expects no message before that.
      this.onopen({ type: "open" });
      if (this.readyState !== WebSocket.OPEN) return;
      this.#connection.attach({ receive: (message) => this.#receive(message), closed: () => this.close() });
    }

    /** A client that throws in its handler must not stop the messages to the others. */
    #receive(message: KernelMessage): boolean {
      try {
        this.onmessage({ type: "message", data: message });
      } catch (error) {
        logLine(`a ${message.header.msg_type} message was refused: ${errorMessage(error)}`);
      }
      return true;
    }
  };
}

function ignore(): void {}
