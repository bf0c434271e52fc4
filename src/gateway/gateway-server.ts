// A gateway that listens, over the same routes and kernels as in memory. Open from the start; after `leave` it takes no new
// clients, `stop` closes the port and its sockets, not the kernels. A socket is open -> slow (the client reads too little:
// messages wait in its link) -> open.

import type { Server, ServerWebSocket } from "bun";
import { errorMessage } from "../errors.ts";
import type { KernelMessage } from "../kernel/message.ts";
import { logLine } from "../log.ts";
import { type AccessRules, checkAccess } from "./access.ts";
import type { Receiver } from "./client-link.ts";
import type { Gateway } from "./gateway.ts";
import type { Connection } from "./hosted-kernel.ts";
import { decodeMessage, encodeMessage, V1_PROTOCOL } from "./wire.ts";

/**
 * Where a gateway listens: a port (0 for a free one) of a host, or a Unix socket that only this user reaches. Kernels that no
 * client has been connected to for `abandonedAfter` seconds are ended there: their owner was killed.
 */
export type Listening =
  | { hostname: string; port: number; token: string; basePath?: string | undefined }
  | { unix: string; abandonedAfter?: number };

export interface GatewayServer {
  /** Its URL without the token; of a Unix socket its path. */
  url: string;
  /** Milliseconds since its last request; 0 while one is answered or a client's socket is open. */
  readonly idleFor: number;
  /** Takes no new clients and removes a Unix socket's file; those that are connected stay. */
  leave(): void;
  stop(): Promise<void>;
}

interface SocketData {
  connection: Connection;
  v1: boolean;
  receiver: Receiver | undefined;
}

/** Milliseconds between two looks for kernels that were left. A timer of more than 24 days would run out at once. */
const MOST_BETWEEN_LOOKS = 3_600_000;
/** A client that has started a kernel connects to it within this, in seconds. */
const LEAST_ABANDONMENT = 10;
const MOST_REQUEST_BYTES = 8 * 1024 * 1024;
const MOST_MESSAGE_BYTES = 256 * 1024 * 1024;
/** What the socket itself may hold before its client counts as slow. */
const SLOW_BYTES = 1024 * 1024;

/** Serves a gateway to other processes. Throws the system's error where it cannot listen. */
export function serveGateway(gateway: Gateway, listening: Listening): GatewayServer {
  const basePath = `/${("basePath" in listening ? (listening.basePath ?? "") : "").replace(/^\/+|\/+$/g, "")}/`.replace(
    "//",
    "/",
  );
  const rules = accessRules(listening);
  let usedAt = performance.now();
  const server = listen({
    ...("unix" in listening
      ? { unix: listening.unix }
      : { hostname: listening.hostname, port: listening.port, idleTimeout: 0 }),
    maxRequestBodySize: MOST_REQUEST_BYTES,
    // Bun's own page would show our source. Its `development: false` would let two servers have one port.
    error: (error) => {
      logLine(`fault: ${errorMessage(error)}`);
      return Response.json({ message: "Internal Server Error", reason: null }, { status: 500 });
    },
    fetch: (request, bun) => {
      usedAt = performance.now();
      return answer(gateway, bun, request, basePath, rules);
    },
    websocket: {
      maxPayloadLength: MOST_MESSAGE_BYTES,
      backpressureLimit: MOST_MESSAGE_BYTES,
      open: (socket) => openSocket(socket),
      message: (socket, frame) => receiveFrame(socket, frame),
      drain: (socket) => socket.data.receiver && socket.data.connection.resume(socket.data.receiver),
      close: (socket) => socket.data.connection.close(),
    },
  });
  const watch = "unix" in listening ? endAbandoned(gateway, listening.abandonedAfter) : undefined;
  return {
    url: "unix" in listening ? listening.unix : new URL(basePath, server.url).href,
    get idleFor() {
      if (server.pendingWebSockets + server.pendingRequests > 0) usedAt = performance.now();
      return performance.now() - usedAt;
    },
    leave: () => void server.stop(),
    stop: async () => {
      clearInterval(watch);
      await server.stop(true);
    },
  };
}

/** A socket's file is this user's alone from its first moment. */
function listen(options: Bun.Serve.Options<SocketData>): Server<SocketData> {
  const previous = process.umask(0o177);
  try {
    return Bun.serve<SocketData>(options);
  } finally {
    process.umask(previous);
  }
}

function endAbandoned(gateway: Gateway, after: number | undefined): Timer | undefined {
  if (after === undefined || !Number.isFinite(after)) return undefined;
  const limit = Math.max(after, LEAST_ABANDONMENT) * 1000;
  const timer = setInterval(() => void gateway.endAbandoned(limit), Math.min(limit / 4, MOST_BETWEEN_LOOKS));
  timer.unref();
  return timer;
}

function accessRules(listening: Listening): AccessRules {
  if ("unix" in listening) return { token: "", loopback: false };
  const { hostname, token } = listening;
  return { token, loopback: /^(?:localhost|127\.|::1$)/.test(hostname) };
}

async function answer(
  gateway: Gateway,
  bun: Server<SocketData>,
  request: Request,
  basePath: string,
  rules: AccessRules,
): Promise<Response | undefined> {
  const { pathname, searchParams } = new URL(request.url);
  if (!pathname.startsWith(basePath) || !isEncoded(pathname))
    return Response.json({ message: "Not Found", reason: null }, { status: 404 });
  const path = pathname.slice(basePath.length).replace(/\/$/, "");
  const refusal = checkAccess(request, path, rules);
  if (refusal) return Response.json({ message: refusal.message, reason: null }, { status: refusal.status });
  const [, kernelId] = /^api\/kernels\/([^/]+)\/channels$/.exec(path) ?? [];
  if (kernelId === undefined) return await gateway.answer(request, path, basePath);
  if (request.headers.get("upgrade")?.toLowerCase() !== "websocket") {
    return Response.json({ message: "A WebSocket is expected here" }, { status: 426 });
  }
  const connection = gateway.connect(decodeURIComponent(kernelId), searchParams.get("session_id") ?? undefined);
  if (connection === undefined)
    return Response.json({ message: `Kernel does not exist: ${kernelId}` }, { status: 404 });
  const v1 = offersV1(request);
  const headers = new Headers(v1 ? { "Sec-WebSocket-Protocol": V1_PROTOCOL } : {});
  if (bun.upgrade(request, { headers, data: { connection, v1, receiver: undefined } })) return undefined;
  connection.close();
  return Response.json({ message: "The WebSocket cannot be opened" }, { status: 400 });
}

/** Nothing is found at a path with a percent sign that begins no character. */
function isEncoded(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/** A subprotocol is chosen only where the client offers it. */
function offersV1(request: Request): boolean {
  const offered = request.headers.get("sec-websocket-protocol") ?? "";
  return offered.split(",").some((protocol) => protocol.trim() === V1_PROTOCOL);
}

function openSocket(socket: ServerWebSocket<SocketData>): void {
  const receiver: Receiver = {
    receive(message: KernelMessage) {
      socket.send(encodeMessage(message, socket.data.v1));
      return socket.getBufferedAmount() < SLOW_BYTES;
    },
    closed: () => socket.close(1001, "the kernel or this client's session ended"),
  };
  socket.data.receiver = receiver;
  socket.data.connection.attach(receiver);
}

function receiveFrame(socket: ServerWebSocket<SocketData>, frame: string | Buffer): void {
  try {
    socket.data.connection.send(decodeMessage(frame, socket.data.v1));
  } catch (error) {
    logLine(errorMessage(error));
    socket.close(1003, "no Jupyter message");
  }
}
