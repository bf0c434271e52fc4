import {
  deserializeMessage,
  type JSONRPCMessage,
  type RequestId,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/server";
import { LineSplitter } from "./line-splitter.ts";

/** How long what was asked before standard input ended may still be answered. Hosts wait about two seconds for the exit. */
const ANSWER_GRACE_MS = 1000;

/**
 * MCP over this process's standard streams ("Transports", stdio): one JSON message a line. Unlike the library's own it takes
 * messages of any size up to the limit in linear time, writes in order without piling up, and answers what was piped into it
 * before the end of the input.
 *
 * created -> started -> closed. The server that was connected closes it; so do the end of standard input and a broken pipe.
 */
export class StdioTransport implements Transport {
  onmessage?: Transport["onmessage"];
  onclose?: () => void;
  onerror?: (error: Error) => void;
  /** Settles when the connection is over and all that was sent has left the process. */
  readonly closed: Promise<void>;
  private readonly settle = Promise.withResolvers<void>();
  private readonly reader = Bun.stdin.stream().getReader();
  private readonly writer = Bun.stdout.writer();
  private readonly splitter = new LineSplitter();
  private readonly unanswered = new Set<RequestId>();
  private written: Promise<void> = Promise.resolve();
  private allAnswered: (() => void) | undefined;
  private isClosed = false;

  constructor() {
    this.closed = this.settle.promise;
  }

  async start(): Promise<void> {
    void this.read();
  }

  /** Resolves when the message left the process; a slow reader makes later messages wait, in order. */
  async send(message: JSONRPCMessage): Promise<void> {
    const line = serializeMessage(message);
    const sent = this.written.then(() => this.write(line));
    this.written = sent.catch(() => {});
    await sent;
    if (!("method" in message) && message.id !== undefined) this.forget(message.id);
  }

  async close(): Promise<void> {
    if (this.isClosed) return await this.closed;
    this.isClosed = true;
    void this.reader.cancel().catch(() => {});
    this.onclose?.();
    await Promise.race([this.written, Bun.sleep(ANSWER_GRACE_MS)]);
    this.settle.resolve();
  }

  private async read(): Promise<void> {
    try {
      for (let next = await this.reader.read(); !next.done && !this.isClosed; next = await this.reader.read()) {
        for (const line of this.splitter.push(next.value)) this.receive(line);
      }
      await this.waitForAnswers();
    } catch (error) {
      this.onerror?.(error as Error);
    }
    await this.close();
  }

  private receive(line: string): void {
    if (line.trim() === "") return;
    let message: JSONRPCMessage;
    try {
      message = deserializeMessage(line);
    } catch (error) {
      this.onerror?.(new Error(`ignored a line that is no JSON-RPC message: ${(error as Error).message}`));
      return;
    }
    if ("method" in message && "id" in message) this.unanswered.add(message.id);
    if ("method" in message && message.method === "notifications/cancelled") {
      this.forget(message.params?.requestId as RequestId);
    }
    this.onmessage?.(message);
  }

  private forget(id: RequestId): void {
    if (this.unanswered.delete(id) && this.unanswered.size === 0) this.allAnswered?.();
  }

  private async waitForAnswers(): Promise<void> {
    if (this.unanswered.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.allAnswered = resolve;
    await Promise.race([promise, Bun.sleep(ANSWER_GRACE_MS)]);
  }

  private async write(line: string): Promise<void> {
    try {
      this.writer.write(line);
      await this.writer.flush();
    } catch (error) {
      void this.close();
      throw error;
    }
  }
}
