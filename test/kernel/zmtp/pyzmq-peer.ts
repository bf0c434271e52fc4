import { existsSync } from "node:fs";
import { join } from "node:path";

const PYTHON = join(import.meta.dir, "../../../.venv/bin/python");

/** Whether the Python environment of the tests, and with it pyzmq, is there. */
export const hasPyzmq = existsSync(PYTHON);

/** A process that holds one pyzmq socket. Whoever starts it disposes of it. */
export interface PyzmqPeer extends AsyncDisposable {
  endpoint: string;
  pid: number;
  publish(frames: (string | number)[]): void;
  /** The next fact that the peer tells. */
  next(): Promise<Record<string, string>>;
}

/** Starts `peer.py`; a `tcp` endpoint takes a free port unless it names one. */
export async function startPyzmqPeer(
  type: string,
  endpoint = "tcp://127.0.0.1:*",
  options: Record<string, unknown> = {},
): Promise<PyzmqPeer> {
  const child = Bun.spawn([PYTHON, join(import.meta.dir, "peer.py"), type, endpoint, JSON.stringify(options)], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const lines = readLines(child.stdout);
  const next = async () => JSON.parse((await lines.next()).value as string);
  const bound = (await next()) as { endpoint: string };
  return {
    endpoint: bound.endpoint,
    pid: child.pid,
    next,
    publish(frames) {
      child.stdin.write(`${JSON.stringify(frames)}\n`);
      child.stdin.flush();
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const piece of stream) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
