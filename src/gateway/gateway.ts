// A Jupyter gateway inside this process. Open from the start; `dispose` ends every kernel and is idempotent.
// Whoever created it disposes it.

import type { KernelMessage } from "../kernel/message.ts";
import type { KernelProvider } from "../kernel/model.ts";
import type { Connection } from "./hosted-kernel.ts";
import { KernelHost } from "./kernel-host.ts";
import { createMemorySocketClass, type MemorySocket } from "./memory-socket.ts";
import { answerRequest } from "./routes.ts";
import { SessionTable } from "./session-table.ts";

/** The part of `ServerConnection.ISettings` that leads a client of this process to the gateway: no socket, no port. */
export interface MemorySettings {
  baseUrl: string;
  wsUrl: string;
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
  /** Answers a REST request; `path` is its path below `basePath`, without the first slash. */
  answer(request: Request, path: string, basePath: string): Promise<Response>;
  /** Joins a client to a kernel's channels; undefined when there is no such kernel. */
  connect(kernelId: string, sessionId: string | undefined): Connection | undefined;
  /** Ends the kernels that no client has been connected to for so many milliseconds. */
  endAbandoned(milliseconds: number): Promise<void>;
  dispose(): Promise<void>;
}

/** A name that no resolver answers, so that a request which misses the in-memory `fetch` goes nowhere. */
const BASE_URL = "http://embedded.invalid/";

/** What a gateway is made with. `cwd` and `env` complete requests that give none; `spillFolder` is for slow clients. */
export interface GatewayOptions {
  kernels: KernelProvider;
  cwd: string;
  env: Record<string, string>;
  spillFolder: string;
}

/** Creates the embedded gateway over the kernels of this host. */
export function createGateway(options: GatewayOptions): Gateway {
  const host = new KernelHost(options.kernels, options.spillFolder);
  const context = {
    host,
    sessions: new SessionTable(host),
    startedAt: new Date(),
    kernelDefaults: { cwd: options.cwd, env: options.env },
  };
  const answer: Gateway["answer"] = (request, path, basePath) => answerRequest(context, request, path, basePath);
  const fetch: MemorySettings["fetch"] = (input, init) => {
    const request = new Request(input, init);
    return answer(request, new URL(request.url).pathname.slice(1), "/");
  };
  const WebSocket = createMemorySocketClass(host);
  const wsUrl = BASE_URL.replace("http", "ws");
  const serializer = { serialize: keep, deserialize: keep };
  const dispose = () => host.dispose();
  return {
    serverSettings: { baseUrl: BASE_URL, wsUrl, fetch, WebSocket, serializer },
    fetch,
    WebSocket,
    answer,
    connect: (kernelId, sessionId) => host.connect(kernelId, sessionId),
    endAbandoned: (milliseconds) => host.endAbandoned(milliseconds),
    dispose,
    [Symbol.asyncDispose]: dispose,
  };
}

function keep(message: KernelMessage): KernelMessage {
  return message;
}
