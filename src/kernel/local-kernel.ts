// States: starting -> idle/busy -> dead; `restart` goes through restarting back to idle. The provider makes it and ends it with
// itself; whoever asked for the kernel calls `shutdown`. Its incarnation owns the process and all that belongs to it.
import { randomUUID } from "node:crypto";
import { type Incarnation, type IncarnationHost, type Launch, startIncarnation } from "./incarnation.ts";
import type { KernelMessage } from "./message.ts";
import { makeMessage } from "./message-signer.ts";
import type { Kernel, KernelExit, KernelSpec, KernelStatus } from "./model.ts";

const EXECUTION_STATES = new Set<string>(["starting", "idle", "busy"] satisfies KernelStatus[]);

/** A kernel whose process runs on this host. A request sent while it restarts waits for the new process. */
export class LocalKernel implements Kernel {
  readonly id = randomUUID();
  readonly spec: KernelSpec;
  /** Resolves when `shutdown` is done; a kernel that died may still be restarted before that. */
  readonly ended: Promise<void>;
  readonly #launch: Launch;
  readonly #host: IncarnationHost;
  readonly #listeners = new Set<(message: KernelMessage) => void>();
  readonly #ended = Promise.withResolvers<void>();
  #status: KernelStatus = "starting";
  #incarnation: Incarnation | undefined;
  #lastExit: Promise<KernelExit> | undefined;
  #held: KernelMessage[] | undefined;
  #ending: Promise<void> | undefined;
  #restarting: Promise<void> | undefined;

  private constructor(launch: Launch, host: IncarnationHost) {
    this.spec = launch.spec;
    this.ended = this.#ended.promise;
    this.#launch = launch;
    this.#host = host;
  }

  /** Starts a kernel and waits until it is ready. Throws `kernel_start_failed`, `too_many_open_files`, or the signal's reason. */
  static async start(launch: Launch, host: IncarnationHost, signal?: AbortSignal): Promise<LocalKernel> {
    const kernel = new LocalKernel(launch, host);
    await kernel.#incarnate(signal);
    return kernel;
  }

  get status(): KernelStatus {
    return this.#status;
  }

  get pid(): number {
    return this.#incarnation?.pid ?? 0;
  }

  get exited(): Promise<KernelExit> {
    return this.#lastExit!;
  }

  /** A request to a dead kernel is answered by its status, which a client that came too late would miss otherwise. */
  send(message: KernelMessage): void {
    if (this.#held) this.#held.push(message);
    else if (this.#status === "dead") this.#tellStatus("dead");
    else this.#incarnation?.send(message);
  }

  subscribe(listener: (message: KernelMessage) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async beat(timeout: number): Promise<boolean> {
    return this.#status !== "dead" && (await this.#incarnation!.beat(timeout));
  }

  async interrupt(): Promise<void> {
    if (this.#status !== "dead") this.#incarnation?.interrupt();
  }

  /** Ends the process, politely at first, and starts a new one under the same id. A dead kernel comes to life again. */
  restart(): Promise<void> {
    this.#restarting ??= this.#restart().finally(() => {
      this.#restarting = undefined;
    });
    return this.#restarting;
  }

  shutdown(): Promise<void> {
    this.#ending ??= this.#shutdown();
    return this.#ending;
  }

  async #restart(): Promise<void> {
    if (this.#ending) return this.#ending;
    const last = this.#incarnation;
    this.#held = [];
    this.#incarnation = undefined;
    this.#tellStatus("restarting");
    await last?.shutdown(true);
    try {
      await this.#incarnate();
    } catch (error) {
      this.#held = undefined;
      this.#tellStatus("dead");
      throw error;
    }
    this.#tellStatus("idle");
    const held = this.#held;
    this.#held = undefined;
    for (const message of held) this.send(message);
  }

  async #shutdown(): Promise<void> {
    await this.#restarting?.catch(() => {});
    await this.#incarnation?.shutdown(false);
    this.#ended.resolve();
  }

  async #incarnate(signal?: AbortSignal): Promise<void> {
    const deliver = (message: KernelMessage) => this.#deliver(message);
    const incarnation = await startIncarnation(this.#launch, this.#host, deliver, signal);
    this.#incarnation = incarnation;
    this.#status = "idle";
    this.#lastExit = incarnation.exited;
    incarnation.exited.then(() => {
      if (this.#incarnation === incarnation) this.#tellStatus("dead");
    });
  }

  #deliver(message: KernelMessage): void {
    const state = message.header.msg_type === "status" ? message.content.execution_state : undefined;
    if (typeof state === "string" && EXECUTION_STATES.has(state)) this.#status = state as KernelStatus;
    for (const listener of this.#listeners) listener(message);
  }

  /** A status that the process's life brought about, not a request: it has no parent. */
  #tellStatus(status: KernelStatus): void {
    this.#status = status;
    const message = makeMessage("iopub", "status", { execution_state: status }, this.id);
    for (const listener of this.#listeners) listener(message);
  }
}
