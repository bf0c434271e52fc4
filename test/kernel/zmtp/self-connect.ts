// Run in a network namespace of its own, where every port that the kernel gives out is PORT or PORT + 1. A socket that looks
// for a peer on PORT meets itself there sooner or later; it must go on looking until a peer has bound the port.
import { ZmtpSocket } from "../../../src/kernel/zmtp/socket.ts";
import { startPyzmqPeer } from "./pyzmq-peer.ts";

const endpoint = `tcp://127.0.0.1:${process.argv[2]}`;
const connect = Bun.connect;
let meetings = 0;
const met = Promise.withResolvers<void>();
Bun.connect = ((options: Bun.TCPSocketConnectOptions<undefined>) => {
  const open = (socket: Bun.Socket) => {
    if (socket.localPort === socket.remotePort && ++meetings === 3) met.resolve();
    options.socket.open?.(socket);
  };
  return connect({ ...options, socket: { ...options.socket, open } });
}) as typeof Bun.connect;

const answer = Promise.withResolvers<string>();
const socket = new ZmtpSocket({
  endpoint,
  type: "DEALER",
  onMessage: ([frame]) => answer.resolve(Buffer.from(frame!).toString()),
});
socket.send([Buffer.from("found you")]);
await met.promise;
await using _peer = await startPyzmqPeer("ROUTER", endpoint);
console.log(await answer.promise);
socket.close();
