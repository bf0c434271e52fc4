// One client's connection, the daemon's end. Open until the client goes or `close`; then its requests under way are cancelled.
import { errorFields, resultTooLarge } from "./errors.ts";
import { type ByteSocket, SocketWriter } from "./socket-writer.ts";
import { encodeLine, type Hello, LineReader, LONGEST_LINE, type Reply, type Request } from "./wire.ts";

/** What runs a request. */
export type Method = (params: unknown, context: MethodContext) => Promise<unknown>;

export interface MethodContext {
  /** Aborted when the client takes the request back, or goes. */
  signal: AbortSignal;
  /** Sends news before the result; false when the client reads too slowly and nothing was sent, unless it is `essential`. */
  update(update: unknown, essential?: boolean): boolean;
}

/** What a connection needs of the daemon. `method` throws where there is none of that name, or nothing new may begin. */
export interface ConnectionHost {
  readonly hello: Hello;
  method(name: string): Method;
}

/** A client that reads slower than its cell prints makes the daemon hold this much, in bytes, and no more. */
const MOST_QUEUED = 4 * 2 ** 20;

/** Reads a client's requests and runs them side by side. */
export class ServerConnection {
  private readonly reader = new LineReader();
  private readonly writer: SocketWriter;
  private readonly running = new Map<number, AbortController>();

  constructor(
    socket: ByteSocket,
    private readonly host: ConnectionHost,
    private readonly longestLine = LONGEST_LINE,
  ) {
    this.writer = new SocketWriter(socket);
    this.writer.write(encodeLine(host.hello));
  }

  /** How many requests are under way. */
  get requests(): number {
    return this.running.size;
  }

  /** Takes bytes of the client; one that does not keep to the wire is cut off. */
  receive(chunk: Uint8Array): void {
    try {
      for (const value of this.reader.read(chunk)) this.take(value as Request);
    } catch {
      this.close();
    }
  }

  /** The socket takes more. */
  drain(): void {
    this.writer.flush();
  }

  /** Cancels what is under way; the replies are still sent. */
  cancelAll(): void {
    for (const abort of this.running.values()) abort.abort();
  }

  /** Cancels what is under way and ends the connection. Idempotent. */
  close(): void {
    this.cancelAll();
    this.writer.end();
  }

  private take(request: Request): void {
    if ("cancel" in request) this.running.get(request.cancel)?.abort();
    else void this.run(request.id, request.method, request.params);
  }

  private async run(id: number, name: string, params: unknown): Promise<void> {
    const abort = new AbortController();
    try {
      const method = this.host.method(name);
      this.running.set(id, abort);
      this.send({ id, accepted: true });
      this.send({
        id,
        result: await method(params, {
          signal: abort.signal,
          update: (update, essential) => this.update(id, update, essential),
        }),
      });
    } catch (error) {
      this.send({ id, error: errorFields(error) });
    } finally {
      this.running.delete(id);
    }
  }

  private update(id: number, update: unknown, essential = false): boolean {
    if (!essential && this.writer.queuedBytes > MOST_QUEUED) return false;
    this.send({ id, update });
    return true;
  }

  private send(reply: Reply): void {
    const line = encodeLine(reply);
    const bytes = Buffer.byteLength(line);
    if (bytes > this.longestLine && "result" in reply) {
      this.writer.write(encodeLine({ id: reply.id, error: errorFields(resultTooLarge(bytes, this.longestLine)) }));
    } else this.writer.write(line);
  }
}
