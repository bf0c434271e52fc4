import { dlopen, FFIType, ptr } from "bun:ffi";
import { C_LIBRARY } from "../c-library.ts";

/** Linux: `SOL_SOCKET` and `SO_PEERCRED` of socket(7), and `struct ucred` (pid, uid, gid). */
const SOCKET_LEVEL = 1;
const PEER_CREDENTIALS = 17;

/** Says which user is at the other end of a connected Unix socket; `close` gives the library back. */
export interface PeerReader {
  /** The peer's user id, or undefined where the system does not tell. */
  userOf(descriptor: number): number | undefined;
  close(): void;
}

/** Opens the system's way to ask for a peer: `getsockopt` on Linux, `getpeereid` on macOS. */
export function openPeerReader(): PeerReader {
  const path = C_LIBRARY;
  if (path === undefined) return { userOf: () => undefined, close: () => {} };
  return process.platform === "darwin" ? readWithGetpeereid(path) : readWithGetsockopt(path);
}

function readWithGetsockopt(path: string): PeerReader {
  const args = [FFIType.i32, FFIType.i32, FFIType.i32, FFIType.ptr, FFIType.ptr];
  const { symbols, close } = dlopen(path, { getsockopt: { args, returns: FFIType.i32 } });
  const userOf = (descriptor: number) => {
    const credentials = new Int32Array(3);
    const size = new Uint32Array([credentials.byteLength]);
    const failed = symbols.getsockopt(descriptor, SOCKET_LEVEL, PEER_CREDENTIALS, ptr(credentials), ptr(size));
    return failed ? undefined : (credentials[1] as number) >>> 0;
  };
  return { userOf, close };
}

function readWithGetpeereid(path: string): PeerReader {
  const args = [FFIType.i32, FFIType.ptr, FFIType.ptr];
  const { symbols, close } = dlopen(path, { getpeereid: { args, returns: FFIType.i32 } });
  const userOf = (descriptor: number) => {
    const [user, group] = [new Uint32Array(1), new Uint32Array(1)];
    return symbols.getpeereid(descriptor, ptr(user), ptr(group)) ? undefined : user[0];
  };
  return { userOf, close };
}
