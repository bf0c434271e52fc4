// The daemon: an app behind a Unix socket. States: serving -> draining (a newer build took the names, or they were removed: no
// call begins, those under way finish) -> ended. The lock is held while the names in the runtime directory are this daemon's.
// `stop` and idleness end it too. At its end it disposes the app, which takes the kernels along, and removes its files.
import { existsSync } from "node:fs";
import { errorMessage } from "../errors.ts";
import { logLine } from "../log.ts";
import type { Client } from "../tools/client.ts";
import { ownBuild } from "./build.ts";
import { type DaemonFiles, removeDaemonFiles, writeGatewayEntry } from "./daemon-files.ts";
import { daemonGone, unknownMethod } from "./errors.ts";
import type { FileLock } from "./lock-file.ts";
import type { ConnectionHost, Method } from "./server-connection.ts";
import { type ClientListener, listenForClients } from "./server-listener.ts";
import { clientMethods } from "./server-methods.ts";
import type { Build, DaemonStatus, HandedOver, Hello, OpenGateway } from "./wire.ts";

/** What a daemon serves: a client of its own process that also says what keeps it needed. */
export interface DaemonApp extends Client {
  /** Serves its gateway to other processes; it stops it at its end. */
  serveGateway(listening: { unix: string; abandonedAfter: number }): Promise<ServedGateway>;
  /** Live sessions, runs in the background, and results of ended runs that somebody may still come for. */
  activity(): { sessions: number; runs: number; results: number };
  /** A newer daemon takes the place of this one, and tells the callers of its sessions that they ended. */
  leaveSessions(): void;
}

/** The gateway as it listens; see `GatewayServer`. */
export interface ServedGateway {
  readonly idleFor: number;
  leave(): void;
}

export interface DaemonOptions {
  files: DaemonFiles;
  /** The lock of `files`, held; the daemon releases it. */
  lock: FileLock;
  /** Disposed by the daemon. */
  app: DaemonApp;
  /** Seconds without session, run, call and client of the gateway after which it ends by itself. */
  idleTimeout: number;
  /** What it says it is; by default the build of this process. */
  build?: Build;
}

/** A client must find the daemon that it has just started, however short `idleTimeout` is. */
const LEAST_IDLE_MILLISECONDS = 500;
/** How long cancelled calls may take to hand in their results before their kernels end, in milliseconds. */
const CANCEL_GRACE = 1000;
/** How long the kernels may take to end, in milliseconds; what is left then goes with the process. */
const DISPOSE_LIMIT = 10_000;

/** Serves until it has ended; see the head of the file. */
export class Daemon implements ConnectionHost, AsyncDisposable {
  readonly hello: Hello;
  private readonly startedAt = performance.now();
  private readonly methods: ReadonlyMap<string, Method>;
  private readonly finished = Promise.withResolvers<void>();
  private readonly listener: ClientListener;
  private readonly ticker: Timer;
  private readonly gatewayStart: Promise<void>;
  private gateway: ServedGateway | undefined;
  private state: "serving" | "draining" | "ended" = "serving";
  private calls = 0;
  private neededAt = performance.now();
  private stopping: Promise<void> | undefined;
  private onQuiet: () => void = () => {};

  /** Starts to serve; throws the system's error where the socket cannot be made. */
  constructor(private readonly options: DaemonOptions) {
    this.hello = { hello: "nuthatch", pid: process.pid, ...(options.build ?? ownBuild()) };
    this.methods = clientMethods(options.app);
    removeDaemonFiles(options.files);
    this.listener = listenForClients(options.files.socket, this);
    const { pid, version } = this.hello;
    writeGatewayEntry(options.files, { pid, version, socket: options.files.gatewaySocket });
    const idle = options.idleTimeout * 1000;
    this.ticker = setInterval(() => this.tick(), Math.min(Math.max(idle / 4, 50), 5000));
    this.gatewayStart = this.serveGateway();
    this.gatewayStart.catch((error) => logLine(`the gateway is not served: ${errorMessage(error)}`));
  }

  /** Resolves when the daemon and everything of it has ended. */
  get ended(): Promise<void> {
    return this.finished.promise;
  }

  method(name: string): Method {
    if (name === "status") return async () => this.status();
    if (name === "stop") return async () => await this.stop();
    if (name === "handOver") return async () => this.handOver();
    if (this.state !== "serving") throw daemonGone();
    if (name === "gateway") return async () => await this.openGateway();
    const method = this.methods.get(name);
    if (method === undefined) throw unknownMethod(name);
    return (params, context) => this.countCall(() => method(params, context));
  }

  status(): DaemonStatus {
    const { pid, version } = this.hello;
    return {
      pid,
      version,
      socket: this.options.files.socket,
      uptimeSeconds: Math.floor((performance.now() - this.startedAt) / 1000),
      calls: this.calls,
      ...this.activity(),
      memoryBytes: process.memoryUsage.rss(),
    };
  }

  /** Cancels the calls, ends the kernels and lets go of everything. Idempotent; resolves when that is done. */
  stop(): Promise<void> {
    this.stopping ??= this.finish();
    return this.stopping;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await this.ended;
  }

  /** Leaves the names to a newer daemon at once, and ends when the calls under way are done. */
  private handOver(): HandedOver {
    const activity = { ...this.activity(), calls: this.calls };
    if (this.state === "serving") {
      this.options.app.leaveSessions();
      this.close("draining");
      this.options.lock.release();
      this.listener.closeIdle();
      this.tick();
    }
    return activity;
  }

  private activity(): { sessions: number; runs: number } {
    const { sessions, runs } = this.options.app.activity();
    return { sessions, runs };
  }

  /** After the first client is served: it waits for its own call, and few ever use the gateway. */
  private async serveGateway(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    if (this.state !== "serving") return;
    const { app, files, idleTimeout } = this.options;
    this.gateway = await app.serveGateway({ unix: files.gatewaySocket, abandonedAfter: idleTimeout });
    if (this.state !== "serving") this.gateway.leave();
  }

  /** Where the gateway listens, once it does. */
  private async openGateway(): Promise<OpenGateway> {
    await this.gatewayStart;
    return { socket: this.options.files.gatewaySocket };
  }

  private close(state: "draining" | "ended"): void {
    if (this.state === "serving" && this.options.lock.isInPlace()) {
      this.listener.stop();
      this.gateway?.leave();
      removeDaemonFiles(this.options.files);
    }
    this.state = state;
  }

  private isReachable(): boolean {
    return this.options.lock.isInPlace() && existsSync(this.options.files.socket);
  }

  private async finish(): Promise<void> {
    this.close("ended");
    clearInterval(this.ticker);
    this.listener.cancelAll();
    if (this.calls > 0) {
      const quiet = new Promise<void>((resolve) => {
        this.onQuiet = resolve;
      });
      await Promise.race([quiet, Bun.sleep(CANCEL_GRACE)]);
    }
    await Promise.race([this.options.app.dispose(), Bun.sleep(DISPOSE_LIMIT)]);
    this.options.lock.release();
    // Replies to whoever asked for the end are written before their connections close.
    setImmediate(() => {
      this.listener.closeAll();
      this.finished.resolve();
    });
  }

  private async countCall(run: () => Promise<unknown>): Promise<unknown> {
    this.calls++;
    try {
      return await run();
    } finally {
      this.calls--;
      this.neededAt = performance.now();
      if (this.calls === 0) this.onQuiet();
      if (this.state === "draining") queueMicrotask(() => this.tick());
    }
  }

  private tick(): void {
    const { sessions, runs, results } = this.options.app.activity();
    if (this.state === "serving" && !this.isReachable()) this.handOver();
    if (this.state === "draining" && this.calls + runs === 0) void this.stop();
    if (this.state !== "serving") return;
    const now = performance.now();
    const gatewayUsedAt = now - (this.gateway?.idleFor ?? Number.POSITIVE_INFINITY);
    this.neededAt = this.calls + sessions + runs + results > 0 ? now : Math.max(this.neededAt, gatewayUsedAt);
    if (now - this.neededAt >= Math.max(this.options.idleTimeout * 1000, LEAST_IDLE_MILLISECONDS)) void this.stop();
  }
}
