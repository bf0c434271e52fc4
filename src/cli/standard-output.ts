import { writeSync } from "node:fs";
import { errorCode } from "../errors.ts";

/**
 * Writes text to standard output and returns when all of it was taken. A reader that closed the pipe is no error: the
 * process ends quietly, as other filters do.
 */
export function writeOut(text: string): void {
  const bytes = Buffer.from(text, "utf8");
  let done = 0;
  while (done < bytes.length) {
    try {
      done += writeSync(1, bytes, done);
    } catch (error) {
      if (errorCode(error) === "EPIPE") process.exit(0);
      if (errorCode(error) !== "EAGAIN") throw error;
      Bun.sleepSync(1);
    }
  }
}

/** One JSON value on a line of its own. */
export function writeJson(value: unknown): void {
  writeOut(`${JSON.stringify(value)}\n`);
}

/** Queues stream events so that a slow reader of standard output never stops the event loop, which must drain kernels. */
export class EventWriter {
  private readonly sink = Bun.stdout.writer();
  private pending: Promise<unknown> = Promise.resolve();
  private closed = false;

  /** `onClosed` is told once when the reader has gone; later events are dropped. */
  constructor(private readonly onClosed: () => void) {}

  write(event: unknown): void {
    const line = `${JSON.stringify(event)}\n`;
    this.pending = this.pending.then(() => this.send(line));
  }

  private async send(line: string): Promise<void> {
    if (this.closed) return;
    try {
      this.sink.write(line);
      await this.sink.flush();
    } catch {
      this.closed = true;
      this.onClosed();
    }
  }

  /** Resolves when everything written so far has left the process. */
  async drain(): Promise<void> {
    await this.pending;
  }
}
