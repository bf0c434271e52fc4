import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../errors.ts";

/** What the daemon keeps in the runtime directory. `lock` is held as long as a daemon may use the other names. */
export interface DaemonFiles {
  /** The socket that clients talk to in the daemon's own wire. */
  socket: string;
  /** The socket of the daemon's Jupyter gateway, for the setting `gateway: shared`. */
  gatewaySocket: string;
  /** Names the daemon's gateway, see {@link GatewayEntry}. */
  gatewayEntry: string;
  lock: string;
}

/** The content of `gateway.json`: which process serves the gateway, and on which Unix socket. */
export interface GatewayEntry {
  pid: number;
  version: string;
  socket: string;
}

/** Where the daemon's files are below the runtime directory. */
export function daemonFiles(runtime: string): DaemonFiles {
  return {
    socket: join(runtime, "daemon.sock"),
    gatewaySocket: join(runtime, "gateway.sock"),
    gatewayEntry: join(runtime, "gateway.json"),
    lock: join(runtime, "gateway.lock"),
  };
}

/** Removes what a killed daemon left. Only the holder of the lock may do so. */
export function removeDaemonFiles(files: DaemonFiles): void {
  for (const path of [files.socket, files.gatewaySocket, files.gatewayEntry]) rmSync(path, { force: true });
}

/** Writes `gateway.json` at once as a whole, readable by this user alone. */
export function writeGatewayEntry(files: DaemonFiles, entry: GatewayEntry): void {
  const temporary = `${files.gatewayEntry}.${process.pid}`;
  writeFileSync(temporary, `${JSON.stringify(entry)}\n`, { mode: 0o600 });
  renameSync(temporary, files.gatewayEntry);
}

/** Reads `gateway.json`; undefined where there is none. It proves nothing: its writer may have been killed. */
export function readGatewayEntry(files: DaemonFiles): GatewayEntry | undefined {
  try {
    return JSON.parse(readFileSync(files.gatewayEntry, "utf8")) as GatewayEntry;
  } catch (error) {
    if (errorCode(error) === "ENOENT" || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
