// A client's end of the wire. Open until either side closes; then every request under way is rejected. Whoever opened it
// closes it. The daemon cancels what a closed connection had asked for.
import { errorCode, NuthatchError } from "../errors.ts";
import { clientClosed, daemonDied, daemonGone, daemonSilent } from "./errors.ts";
import { SocketWriter } from "./socket-writer.ts";
import { encodeLine, type Hello, LineReader, type Reply } from "./wire.ts";

/** How a request is watched: `signal` asks the daemon to cancel it, and the daemon still sends its reply. */
export interface RequestOptions {
  signal?: AbortSignal | undefined;
  onUpdate?: ((update: unknown) => void) | undefined;
}

interface Pending extends RequestOptions {
  accepted: boolean;
  resolve(result: unknown): void;
  reject(error: Error): void;
  settle(): void;
}

/** How long the daemon may take to greet and to accept, in seconds; a busy machine needs some, a stopped process has none. */
const PATIENCE = 10;
/** One that is at work and says nothing is asked after that time, and given up after so many times of it. */
const MOST_SILENCE = 3;

/** Who may not open the socket must not wait for it. Any other failure means that nobody listens now, or not to one more. */
const FORBIDDEN = new Set(["EACCES", "EPERM"]);

/** A connection to the daemon whose greeting has come. */
export class DaemonConnection {
  private readonly pending = new Map<number, Pending>();
  private readonly reader = new LineReader();
  private nextId = 1;
  private closed = false;
  private greeting: Hello | undefined;
  private readonly greeted = Promise.withResolvers<void>();
  private readonly ended = Promise.withResolvers<void>();
  private readonly ticker: Timer;
  /** Ticks since the daemon was last heard. A time would be wrong after this process itself was stopped. */
  private silentFor = 0;

  private constructor(
    private readonly writer: SocketWriter,
    private readonly patience: number,
  ) {
    this.ticker = setInterval(() => this.tick(), patience * 1000);
    this.ticker.unref();
  }

  /** Connects to the socket; undefined where no daemon listens. Throws `daemon_unresponsive`, and `daemon_gone` if it just ended. */
  static async open(path: string, patience = PATIENCE): Promise<DaemonConnection | undefined> {
    let connection: DaemonConnection | undefined;
    try {
      await Bun.connect({
        unix: path,
        socket: {
          open: (socket) => {
            connection = new DaemonConnection(new SocketWriter(socket), patience);
          },
          data: (_, chunk) => connection?.receive(chunk),
          drain: () => connection?.writer.flush(),
          close: () => connection?.fail(),
          error: () => connection?.fail(),
          connectError: () => {},
        },
      });
    } catch (error) {
      if (FORBIDDEN.has(errorCode(error) ?? "")) throw error;
      return undefined;
    }
    await connection?.waitForGreeting();
    return connection;
  }

  /** Who the daemon is. */
  get hello(): Hello {
    if (this.greeting === undefined) throw daemonGone();
    return this.greeting;
  }

  /** Whether requests can still be made. */
  get isOpen(): boolean {
    return !this.closed;
  }

  /** Resolves when the connection has ended; the daemon's own end closes it too. */
  get end(): Promise<void> {
    return this.ended.promise;
  }

  /**
   * Makes a request and waits for its result. Rejects with the daemon's error, with `daemon_gone` if the request was never
   * begun, and with `daemon_died` if the daemon went away while it was at it.
   */
  request(method: string, params: unknown, options: RequestOptions = {}): Promise<unknown> {
    const id = this.nextId++;
    const outcome = Promise.withResolvers<unknown>();
    const cancel = () => this.writer.write(encodeLine({ cancel: id }));
    const silence = setTimeout(() => this.giveUp(id), this.patience * 1000);
    const settle = () => {
      clearTimeout(silence);
      options.signal?.removeEventListener("abort", cancel);
    };
    this.pending.set(id, { ...outcome, ...options, accepted: false, settle });
    if (this.closed) this.fail();
    this.writer.write(encodeLine({ id, method, params }));
    if (options.signal?.aborted) cancel();
    else options.signal?.addEventListener("abort", cancel, { once: true });
    return outcome.promise;
  }

  /** Ends the connection; what is still under way is rejected here, and cancelled by the daemon. Idempotent. */
  close(): void {
    this.fail(clientClosed());
    this.writer.end();
  }

  /** A daemon that was stopped keeps its connections: while it works for us and says nothing it is asked whether it is there. */
  private tick(): void {
    if (this.pending.size === 0) this.silentFor = 0;
    else if (++this.silentFor < MOST_SILENCE) {
      this.writer.write(encodeLine({ id: this.nextId++, method: "status" }));
    } else {
      this.fail(daemonSilent((MOST_SILENCE - 1) * this.patience));
      this.writer.end();
    }
  }

  private receive(chunk: Uint8Array): void {
    this.silentFor = 0;
    try {
      for (const value of this.reader.read(chunk)) {
        if (this.greeting === undefined) this.greet(value as Hello);
        else this.take(value as Reply);
      }
    } catch {
      this.close();
    }
  }

  private greet(hello: Hello): void {
    if (hello.hello !== "nuthatch") throw new Error("not a nuthatch daemon");
    this.greeting = hello;
    this.greeted.resolve();
  }

  private take(reply: Reply): void {
    const request = this.pending.get(reply.id);
    if (request === undefined) return;
    if ("accepted" in reply) request.accepted = true;
    else if ("update" in reply) request.onUpdate?.(reply.update);
    else {
      this.pending.delete(reply.id);
      request.settle();
      if ("error" in reply) request.reject(new NuthatchError(reply.error));
      else request.resolve(reply.result);
    }
  }

  /** `reason` stands for every request under way; without one it is the daemon that has gone. */
  private fail(reason?: Error): void {
    this.closed = true;
    clearInterval(this.ticker);
    for (const [id, request] of this.pending) {
      this.pending.delete(id);
      request.settle();
      request.reject(reason ?? (request.accepted ? daemonDied(this.hello.pid) : daemonGone()));
    }
    this.greeted.reject(daemonGone());
    this.ended.resolve();
  }

  private giveUp(id: number): void {
    const request = this.pending.get(id);
    if (request === undefined || request.accepted) return;
    this.pending.delete(id);
    request.settle();
    request.reject(daemonSilent(this.patience));
  }

  private async waitForGreeting(): Promise<void> {
    const silence = setTimeout(() => this.greeted.reject(daemonSilent(this.patience)), this.patience * 1000);
    try {
      await this.greeted.promise;
    } catch (error) {
      this.close();
      throw error;
    } finally {
      clearTimeout(silence);
    }
  }
}
