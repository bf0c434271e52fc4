// A Jupyter gateway inside this process. Open from the start; `dispose` ends every kernel and is idempotent.
// Whoever created it disposes it.

import type { KernelMessage } from "../kernel/message.ts";
import type { KernelProvider } from "../kernel/model.ts";
import { KernelHost } from "./kernel-host.ts";
import { createMemorySocketClass, type MemorySocket } from "./memory-socket.ts";
import { answerRequest } from "./routes.ts";
import { SessionTable } from "./session-table.ts";

/** The part of `ServerConnection.ISettings` that leads a client of this process to the gateway: no socket, no port. */
export interface MemorySettings {
  baseUrl: string;
  wsUrl: string;
  token: string;
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  WebSocket: new (url: string | URL) => MemorySocket;
  /** Messages stay objects between the two. */
  serializer: { serialize(message: KernelMessage): KernelMessage; deserialize(message: KernelMessage): KernelMessage };
}

/** A gateway's way in for clients of this process, and its end. */
export interface Gateway extends AsyncDisposable {
  readonly serverSettings: MemorySettings;
  fetch: MemorySettings["fetch"];
  WebSocket: MemorySettings["WebSocket"];
  dispose(): Promise<void>;
}

/** A name that no resolver answers, so that a request which misses the in-memory `fetch` goes nowhere. */
const BASE_URL = "http://embedded.invalid/";

/** Creates the embedded gateway over the kernels of this host. `cwd` and `env` complete requests that give none. */
export function createGateway(options: { kernels: KernelProvider; cwd: string; env: Record<string, string> }): Gateway {
  const host = new KernelHost(options.kernels);
  const context = {
    host,
    sessions: new SessionTable(host),
    startedAt: new Date(),
    kernelDefaults: { cwd: options.cwd, env: options.env },
  };
  const fetch: MemorySettings["fetch"] = (input, init) => {
    const request = new Request(input, init);
    return answerRequest(context, request, new URL(request.url).pathname.slice(1));
  };
  const WebSocket = createMemorySocketClass(host);
  const serializer = { serialize: keep, deserialize: keep };
  const dispose = () => host.dispose();
  return {
    serverSettings: {
      baseUrl: BASE_URL,
      wsUrl: BASE_URL.replace("http", "ws"),
      token: "",
      fetch,
      WebSocket,
      serializer,
    },
    fetch,
    WebSocket,
    dispose,
    [Symbol.asyncDispose]: dispose,
  };
}

function keep(message: KernelMessage): KernelMessage {
  return message;
}
