import { write, writeSync } from "node:fs";
import { errorCode, errorMessage, NuthatchError } from "../errors.ts";
import { exit } from "../exit.ts";

/**
 * Writes text to standard output and returns when all of it was taken. A reader that closed the pipe is no error: the
 * process ends quietly, as other filters do. Anything else that keeps it from being written is `output_failed`.
 */
export function writeOut(text: string): void {
  writeBytes(Buffer.from(text, "utf8"));
}

/** Like {@link writeOut}, for bytes that are no text of ours. */
export function writeBytes(bytes: Uint8Array): void {
  let done = 0;
  while (done < bytes.length) {
    try {
      done += writeSync(1, bytes, done);
    } catch (error) {
      if (errorCode(error) === "EPIPE") exit(0);
      if (errorCode(error) !== "EAGAIN") throw outputFailed(error);
      Bun.sleepSync(1);
    }
  }
}

/** One JSON value on a line of its own. */
export function writeJson(value: unknown): void {
  writeOut(`${JSON.stringify(value)}\n`);
}

/** Writes on another thread, so that a full pipe holds up nothing here. */
function writeAsync(bytes: Uint8Array, from: number): Promise<number> {
  return new Promise((resolve, reject) => {
    write(1, bytes, from, bytes.length - from, null, (error, written) => (error ? reject(error) : resolve(written)));
  });
}

/** Queues text so that a slow reader of standard output never stops the event loop, which must drain kernels. */
export class TextWriter {
  private pending: Promise<unknown> = Promise.resolve();
  private closed = false;
  private failure: NuthatchError | undefined;

  /** `onClosed` is told once when nothing can be written any more; what is written later is dropped. */
  constructor(private readonly onClosed: () => void) {}

  write(text: string): void {
    if (text !== "") this.pending = this.pending.then(() => this.send(text));
  }

  /** Resolves when everything written so far has left the process, or its reader has gone. Throws `output_failed`. */
  async drain(): Promise<void> {
    await this.pending;
    if (this.failure !== undefined) throw this.failure;
  }

  private async send(text: string): Promise<void> {
    const bytes = Buffer.from(text, "utf8");
    let done = 0;
    while (done < bytes.length && !this.closed) {
      try {
        done += await writeAsync(bytes, done);
      } catch (error) {
        if (errorCode(error) === "EAGAIN") await Bun.sleep(1);
        else this.close(errorCode(error) === "EPIPE" ? undefined : outputFailed(error));
      }
    }
  }

  private close(failure: NuthatchError | undefined): void {
    this.closed = true;
    this.failure = failure;
    this.onClosed();
  }
}

function outputFailed(cause: unknown): NuthatchError {
  const message = `cannot write standard output: ${errorMessage(cause)}`;
  return new NuthatchError({ code: "output_failed", message, cause });
}
