import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundledKernelArgv, deliverKernel } from "../../src/python/bundled-kernel.ts";

const ROOT = join(import.meta.dir, "../..");
/** The environment with jupyter_client that drives the kernels; without it these tests are skipped by name. */
export const driverPython = join(ROOT, ".venv/bin/python");
export const hasDriver = existsSync(driverPython);

export interface Output {
  type: string;
  // biome-ignore lint/suspicious/noExplicitAny: the content of any message
  content: any;
  metadata: Record<string, unknown>;
  parent: string;
}

export interface Executed {
  id: string;
  // biome-ignore lint/suspicious/noExplicitAny: the content of any reply
  reply: any;
  outputs: Output[];
  prompts: { prompt: string; password: boolean }[];
  interruptedAfter: number | null;
}

export interface DriverOptions {
  /** The kernel's own Python; any from 3.8 on. */
  python?: string;
  transport?: "ipc" | "tcp";
  env?: Record<string, string> | ((folder: string) => Record<string, string>);
  /** Runs in the kernel's folder before it starts, to put files there. */
  prepare?: (folder: string) => void;
}

/** A bundled kernel under jupyter_client in a folder of its own; `await using` ends both. */
export class KernelDriver implements AsyncDisposable {
  private constructor(
    readonly folder: string,
    private readonly child: Bun.Subprocess<"pipe", "pipe", "inherit">,
    private readonly lines: AsyncIterator<string>,
  ) {}

  static async start(options: DriverOptions = {}): Promise<KernelDriver> {
    const folder = mkdtempSync(join(tmpdir(), "nh-"));
    options.prepare?.(folder);
    const argv = bundledKernelArgv(options.python ?? "python3", deliverKernel(join(folder, "runtime")));
    const env = typeof options.env === "function" ? options.env(folder) : (options.env ?? {});
    const child = Bun.spawn([driverPython, join(import.meta.dir, "kernel-driver.py")], {
      stdin: "pipe",
      stdout: "pipe",
      stderr: "inherit",
    });
    const driver = new KernelDriver(folder, child, readLines(child.stdout));
    await driver.exchange({ argv, folder, transport: options.transport ?? "ipc", env });
    return driver;
  }

  execute(code: string, options: Record<string, unknown> = {}): Promise<Executed> {
    return this.call("execute", { code, ...options });
  }

  call<T>(name: string, parameters: Record<string, unknown> = {}): Promise<T> {
    return this.exchange({ do: name, ...parameters });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.stdin.end();
    await this.child.exited;
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async exchange<T>(message: unknown): Promise<T> {
    this.child.stdin.write(`${JSON.stringify(message)}\n`);
    this.child.stdin.flush();
    const line = await this.lines.next();
    if (line.done) throw new Error("the driver ended");
    const answer = JSON.parse(line.value);
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer.value;
  }
}

/** The text of one stream, as it would be read. */
export function streamText(cell: { outputs: Output[] }, name = "stdout"): string {
  const texts = cell.outputs.filter((output) => output.type === "stream" && output.content.name === name);
  return texts.map((output) => output.content.text).join("");
}

/** The `text/plain` of the result, or undefined. */
export function resultText(cell: { outputs: Output[] }): string | undefined {
  return cell.outputs.find((output) => output.type === "execute_result")?.content.data["text/plain"];
}

/** The content of the error message; throws when there is none. */
// biome-ignore lint/suspicious/noExplicitAny: the content of any message
export function errorOf(cell: { outputs: Output[] }): any {
  const error = cell.outputs.find((output) => output.type === "error");
  if (!error) throw new Error(`no error in ${JSON.stringify(cell.outputs)}`);
  return error.content;
}

async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
