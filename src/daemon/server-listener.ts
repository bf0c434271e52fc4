import type { Socket } from "bun";
import { type ConnectionHost, ServerConnection } from "./server-connection.ts";
import { openPeerReader } from "./server-peer.ts";

/** The daemon's socket and the connections made to it. */
export interface ClientListener {
  /** Takes no more clients and removes the socket's file; connections stay. */
  stop(): void;
  cancelAll(): void;
  /** Closes the connections that have nothing under way. */
  closeIdle(): void;
  closeAll(): void;
}

/** Listens on a Unix socket that this user alone may use; a peer of another user is cut off before its first byte is read. */
export function listenForClients(path: string, host: ConnectionHost): ClientListener {
  const connections = new Set<ServerConnection>();
  const peers = openPeerReader();
  const drop = (socket: Socket<ServerConnection | undefined>) => {
    if (socket.data === undefined) return;
    connections.delete(socket.data);
    socket.data.close();
  };
  const previous = process.umask(0o177);
  try {
    const listener = Bun.listen<ServerConnection | undefined>({
      unix: path,
      data: undefined,
      socket: {
        open: (socket) => {
          const user = peers.userOf((socket as unknown as { fd: number }).fd);
          if (user !== undefined && user !== process.getuid?.()) return void socket.terminate();
          socket.data = new ServerConnection(socket, host);
          connections.add(socket.data);
        },
        data: (socket, chunk) => socket.data?.receive(chunk),
        drain: (socket) => socket.data?.drain(),
        close: drop,
        error: drop,
      },
    });
    return control(connections, () => {
      listener.stop();
      peers.close();
    });
  } finally {
    process.umask(previous);
  }
}

function control(connections: Set<ServerConnection>, stop: () => void): ClientListener {
  const each = (act: (connection: ServerConnection) => void) => () => connections.forEach(act);
  return {
    stop,
    cancelAll: each((connection) => connection.cancelAll()),
    closeIdle: each((connection) => {
      if (connection.requests === 0) connection.close();
    }),
    closeAll: each((connection) => connection.close()),
  };
}
