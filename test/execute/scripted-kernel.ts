import type { KernelMessage } from "../../src/kernel/message.ts";
import type { KernelProvider } from "../../src/kernel/model.ts";
import { FakeKernel, message } from "../gateway/fake-kernel.ts";

/**
 * A kernel without a process; it lives and dies as a real one does. It knows `set <word>`, `get`, `die`, `die once`, `abort`
 * (replies that it never ran), `no idle` (and nothing after the reply), and `hold` (done only when `release` is called).
 */
export class ScriptedKernel extends FakeKernel {
  #value: string | undefined;
  #session = crypto.randomUUID();
  #held: (() => void)[] = [];

  /** `mayDie` is asked by `die once`: true the first time. */
  constructor(private readonly mayDie: () => boolean) {
    super();
  }

  override send(request: KernelMessage): void {
    if (this.status === "dead") return;
    // A real kernel answers later, never within the call that asked it.
    queueMicrotask(() => this.#answer(request));
  }

  override async restart(): Promise<void> {
    await super.restart();
    this.#held = [];
    this.#value = undefined;
    this.#session = crypto.randomUUID();
    this.#tell("idle", crypto.randomUUID());
    this.#tell("starting", this.#session);
  }

  /** Lets what was asked to `hold` end. */
  release(): void {
    for (const done of this.#held.splice(0)) done();
  }

  /** Ends the process without a word, as SIGKILL does. */
  kill(): void {
    this.die({ code: null, signal: "SIGKILL", stderr: "" });
  }

  #answer(request: KernelMessage): void {
    if (this.status === "dead") return;
    const code = String(request.content.code ?? "");
    this.#say("iopub", "status", { execution_state: "busy" }, request);
    if (code === "die" || (code === "die once" && this.mayDie())) {
      this.kill();
      return;
    }
    if (code === "hold") this.#held.push(() => this.#finish(request, code));
    else if (this.#held.length > 0) this.#held.push(() => this.#finish(request, code));
    else this.#finish(request, code);
  }

  /** Requests are answered in their order, as a real kernel does. */
  #finish(request: KernelMessage, code: string): void {
    const isInfo = request.header.msg_type === "kernel_info_request";
    if (code.startsWith("set ")) this.#value = code.slice(4);
    if (code === "get")
      this.#say("iopub", "stream", { name: "stdout", text: `${this.#value ?? "nothing"}\n` }, request);
    const status = code === "abort" ? "aborted" : "ok";
    const reply = isInfo ? { status, language_info: { name: "scripted" } } : { status, execution_count: 1 };
    this.#say("shell", request.header.msg_type.replace("request", "reply"), reply, request);
    if (code !== "no idle") this.#say("iopub", "status", { execution_state: "idle" }, request);
  }

  /** A status without a parent: of the provider, or the kernel's own `starting`, which may come late. */
  #tell(state: string, session: string): void {
    const status = message("iopub", "status", { execution_state: state });
    status.header.session = session;
    this.say(status);
  }

  #say(channel: "iopub" | "shell", type: string, content: Record<string, unknown>, parent: KernelMessage): void {
    const said = message(channel, type, content, parent.header);
    said.header.session = this.#session;
    this.say(said);
  }
}

/** A provider of scripted kernels; `live` holds those that were not shut down. */
export function scriptedProvider(): KernelProvider & { live: Set<ScriptedKernel>; diesOnce: { left: number } } {
  const live = new Set<ScriptedKernel>();
  const diesOnce = { left: 0 };
  return {
    live,
    diesOnce,
    specs: async () => ({ default: "fake", specs: [] }),
    async start() {
      const kernel = new ScriptedKernel(() => diesOnce.left-- > 0);
      const { shutdown } = kernel;
      kernel.shutdown = async () => {
        live.delete(kernel);
        await shutdown.call(kernel);
      };
      live.add(kernel);
      return kernel;
    },
  };
}
