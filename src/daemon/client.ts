// A Client whose App is in the daemon. It holds one connection, and makes a new one when the daemon has gone between calls.
// `dispose` closes it, which cancels what is under way; the sessions live on.
import { errorCode } from "../errors.ts";
import type { Completeness, Completion, Inspection } from "../execute/ask-kernel.ts";
import type { SessionEvent } from "../execute/session-watchers.ts";
import type { Client, SessionClient } from "../tools/client.ts";
import type { CallOptions, ToolResult, ToolUpdate } from "../tools/tool.ts";
import type { DaemonConnection, RequestOptions } from "./connection.ts";
import { daemonGone } from "./errors.ts";
import { findDaemon, openDaemon, requireSameBuild } from "./open-daemon.ts";
import type { DaemonStart } from "./start-daemon.ts";
import type { OpenGateway } from "./wire.ts";

/** How often a request that no daemon began with is made anew. */
const MOST_ATTEMPTS = 5;

/** Finds or starts the daemon and returns a client of it; throws as `openDaemon` does. */
export async function connectToDaemon(start: DaemonStart): Promise<Client> {
  return new DaemonClient(await openDaemon(start), () => openDaemon(start));
}

/** Finds or starts the daemon and returns the socket of its gateway; throws as `openDaemon` does. */
export async function findSharedGateway(start: DaemonStart): Promise<string> {
  const connection = await openDaemon(start);
  try {
    return ((await connection.request("gateway", {})) as OpenGateway).socket;
  } finally {
    connection.close();
  }
}

/** A client of the daemon that is there; undefined where there is none. Throws `daemon_version` if it is of another build. */
export async function joinDaemon(runtime: string): Promise<Client | undefined> {
  const join = async () => {
    const connection = await findDaemon(runtime);
    if (connection !== undefined) requireSameBuild(connection);
    return connection;
  };
  const connection = await join();
  const rejoin = async () => {
    const next = await join();
    if (next === undefined) throw daemonGone();
    return next;
  };
  return connection && new DaemonClient(connection, rejoin);
}

class DaemonClient implements Client {
  private connecting: Promise<DaemonConnection>;
  private disposed = false;

  constructor(
    private connection: DaemonConnection,
    private readonly reopen: () => Promise<DaemonConnection>,
  ) {
    this.connecting = Promise.resolve(connection);
  }

  async callTool(name: string, input: unknown, options: CallOptions): Promise<ToolResult> {
    const { cwd, environment, settings, session, signal, onUpdate } = options;
    const carried = { cwd, environment, settings, session };
    const params = { name, input, options: carried, updates: onUpdate !== undefined };
    const forward = onUpdate && ((update: unknown) => onUpdate(update as ToolUpdate));
    return (await this.request("callTool", params, { signal, onUpdate: forward })) as ToolResult;
  }

  session(session: string): SessionClient {
    const ask = (method: string, params: object, options: RequestOptions = {}) =>
      this.request(method, { session, ...params }, options);
    return {
      complete: async (code, cursor) => (await ask("complete", { code, cursor })) as Completion,
      inspect: async (code, cursor) => (await ask("inspect", { code, cursor })) as Inspection,
      isComplete: async (code) => (await ask("isComplete", { code })) as Completeness,
      interrupt: async () => void (await ask("interrupt", {})),
      watch: async (listener, signal) =>
        void (await ask("watch", {}, { signal, onUpdate: (event) => listener(event as SessionEvent) })),
    };
  }

  async dispose(): Promise<void> {
    this.disposed = true;
    this.connection.close();
  }

  private async request(method: string, params: unknown, options: RequestOptions): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      const connection = await this.connect();
      try {
        return await connection.request(method, params, options);
      } catch (error) {
        if (errorCode(error) !== "daemon_gone" || attempt === MOST_ATTEMPTS || this.disposed) throw error;
        connection.close();
      }
    }
  }

  private async connect(): Promise<DaemonConnection> {
    if (this.connection.isOpen || this.disposed) return this.connection;
    this.connecting = this.reconnect(this.connecting);
    return await this.connecting;
  }

  /** One at a time: who comes second finds the connection that the first has made. */
  private async reconnect(previous: Promise<DaemonConnection>): Promise<DaemonConnection> {
    await previous.catch(() => undefined);
    if (!this.connection.isOpen) this.connection = await this.reopen();
    return this.connection;
  }
}
