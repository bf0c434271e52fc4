import { randomBytes } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The sockets of a kernel: four channels and the heartbeat. */
export type SocketName = "shell" | "iopub" | "stdin" | "control" | "hb";

/** How a kernel's sockets are reached. `ipc` needs no free ports and is private to the folder's owner. */
export type Transport = "ipc" | "tcp";

/** A written connection file: where the sockets are and the key that signs. The creator calls `remove`, which is idempotent. */
export interface Connection {
  path: string;
  key: string;
  endpoints: Record<SocketName, string>;
  remove(): void;
}

const SOCKETS: SocketName[] = ["shell", "iopub", "stdin", "control", "hb"];
const ADDRESS = "127.0.0.1";

/**
 * Writes a connection file (0600) for a new kernel in a folder of its own (0700) below `folder` ("Connection files" of the
 * Jupyter client's documentation). The paths of `ipc` sockets stay under 100 bytes when `folder` does under 85.
 */
export function writeConnectionFile(folder: string, id: string, kernel: string, transport: Transport): Connection {
  const own = join(folder, id);
  mkdirSync(own, { recursive: true, mode: 0o700 });
  const remove = () => rmSync(own, { recursive: true, force: true });
  try {
    const path = join(own, "kernel.json");
    const key = randomBytes(32).toString("hex");
    const ip = transport === "ipc" ? join(own, "s") : ADDRESS;
    const ports = transport === "ipc" ? SOCKETS.map((_, index) => index + 1) : findFreePorts(SOCKETS.length);
    const separator = transport === "ipc" ? "-" : ":";
    const byPort = Object.fromEntries(SOCKETS.map((name, index) => [`${name}_port`, ports[index]]));
    const file = { transport, ip, ...byPort, key, signature_scheme: "hmac-sha256", kernel_name: kernel };
    writeFileSync(path, JSON.stringify(file, null, 1), { mode: 0o600, flag: "wx" });
    const endpoint = (name: SocketName) => `${transport}://${ip}${separator}${byPort[`${name}_port`]}`;
    const endpoints = Object.fromEntries(SOCKETS.map((name) => [name, endpoint(name)]));
    return { path, key, endpoints: endpoints as Record<SocketName, string>, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Ports that were free a moment ago; they are held together, so that they differ. Another process may still take one. */
function findFreePorts(count: number): number[] {
  const listeners: Bun.TCPSocketListener[] = [];
  try {
    while (listeners.length < count) listeners.push(Bun.listen({ hostname: ADDRESS, port: 0, socket: { data() {} } }));
    return listeners.map((listener) => listener.port);
  } finally {
    for (const listener of listeners) listener.stop(true);
  }
}
