import type { KernelMessage } from "../../src/kernel/message.ts";
import type { Kernel, KernelExit, KernelProvider, KernelSpec, KernelStatus } from "../../src/kernel/model.ts";

export const SPEC: KernelSpec = {
  name: "fake",
  displayName: "Fake",
  language: "python",
  argv: [],
  env: {},
  interruptMode: "signal",
  metadata: {},
  resourceDir: "",
};

/** A message as a kernel or a client makes it. */
export function message(
  channel: KernelMessage["channel"],
  type: string,
  content: Record<string, unknown> = {},
  parent: KernelMessage["parent_header"] = {},
): KernelMessage {
  const header = {
    msg_id: crypto.randomUUID(),
    msg_type: type,
    session: "fake-kernel",
    username: "test",
    date: new Date().toISOString(),
    version: "5.4",
  };
  return { channel, header, parent_header: parent, metadata: {}, content, buffers: [] };
}

/** A kernel without a process: a test says what it publishes, and sees what it is sent. */
export class FakeKernel implements Kernel {
  readonly id = crypto.randomUUID();
  readonly spec = SPEC;
  readonly pid = 1;
  readonly responding = true;
  readonly prepared = false;
  readonly sent: KernelMessage[] = [];
  status: KernelStatus = "idle";
  readonly #listeners = new Set<(message: KernelMessage) => void>();
  #exit = Promise.withResolvers<KernelExit>();

  get exited(): Promise<KernelExit> {
    return this.#exit.promise;
  }

  send(sent: KernelMessage): void {
    this.sent.push(sent);
  }

  subscribe(listener: (message: KernelMessage) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  say(said: KernelMessage): void {
    for (const listener of this.#listeners) listener(said);
  }

  die(exit: KernelExit): void {
    this.status = "dead";
    this.#exit.resolve(exit);
  }

  async interrupt(): Promise<void> {}

  async restart(): Promise<void> {
    this.#exit.resolve({ code: 0, signal: null, stderr: "" });
    this.#exit = Promise.withResolvers();
    this.status = "idle";
  }

  async shutdown(): Promise<void> {
    this.die({ code: 0, signal: null, stderr: "" });
  }
}

/** A provider of fake kernels; `kernels` holds those that were started, in order. */
export function fakeProvider(): KernelProvider & { kernels: FakeKernel[]; starts: unknown[] } {
  const kernels: FakeKernel[] = [];
  const starts: unknown[] = [];
  return {
    kernels,
    starts,
    specs: async () => ({ default: "fake", specs: [SPEC] }),
    async start(request) {
      starts.push(request);
      const kernel = new FakeKernel();
      kernels.push(kernel);
      return kernel;
    },
  };
}
