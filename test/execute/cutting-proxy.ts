import { connect, createServer, type Socket } from "node:net";

/** A TCP proxy in front of a server that can cut all connections, and close for good. */
export function cuttingProxy(target: string): { url: string; cut(): void; close(): void } & AsyncDisposable {
  const to = new URL(target);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(to.port), to.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream);
    upstream.pipe(client);
  }).listen(0, "127.0.0.1");
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const close = () => {
    server.close();
    cut();
  };
  return {
    get url() {
      const { port } = server.address() as { port: number };
      return `http://127.0.0.1:${port}${to.pathname}`;
    },
    cut,
    close,
    async [Symbol.asyncDispose]() {
      close();
    },
  };
}
