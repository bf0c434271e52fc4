/**
 * How an executor reaches its gateway: the parts of `ServerConnection.ISettings` that differ between an embedded and a
 * remote one. `WebSocket` and `serializer` are handed on to `@jupyterlab/services` as they are.
 */
export interface GatewaySettings {
  /** Ends with a slash. */
  baseUrl: string;
  wsUrl: string;
  /** Authenticates by itself. */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  WebSocket: unknown;
  serializer?: unknown;
  /** Kernels run on this host, as this user: they get the caller's folder and environment. */
  local: boolean;
  /** Sees to it that a gateway which ends by itself is there. Absent where nothing can be done about that. */
  wake?(signal: AbortSignal): Promise<void>;
  /** Whether a request failed with this because the gateway's process has ended, and its kernels with it. */
  hasEnded?(error: unknown): boolean;
}

/** Where a call's kernel is looked for and runs, for a gateway of this host. */
export interface KernelPlace {
  cwd: string;
  /** The whole environment for a local kernel, already filtered. */
  env: Record<string, string>;
  /** The interpreter that the call's settings name, for a local kernel; null where they name none. */
  python: string | null;
}

/** What a new kernel is asked to be. `name` is absent for the gateway's default kernelspec. */
export interface KernelRequest extends KernelPlace {
  name?: string;
  /** Python code that a gateway of this host may have the kernel run before all else, and then says so. */
  prepare?: string;
}
