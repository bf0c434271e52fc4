// States: starting -> idle/busy -> dead; `restart` goes through restarting back to idle. The provider makes it and ends it with
// itself; whoever asked for the kernel calls `shutdown`. Its incarnation owns the process and all that belongs to it.
import { randomUUID } from "node:crypto";
import { answerInfo } from "./first-answer.ts";
import { HangWatch } from "./hang-watch.ts";
import { type Incarnation, type IncarnationHost, type Launch, startIncarnation } from "./incarnation.ts";
import type { KernelMessage } from "./message.ts";
import { makeMessage } from "./message-signer.ts";
import type { Kernel, KernelExit, KernelSpec, KernelStatus } from "./model.ts";
import { requireFolder } from "./require-folder.ts";

/** Requests on the control channel, whose busy and idle say nothing about the cell that runs meanwhile. */
const CONTROL_REQUESTS = new Set(["interrupt_request", "shutdown_request", "debug_request"]);
/** A kernel's own `starting` may come after it was found ready, and says nothing new then. */
const EXECUTION_STATES = new Set<string>(["idle", "busy"] satisfies KernelStatus[]);

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
  readonly #stop = new AbortController();
  readonly #hangWatch: HangWatch;
  #status: KernelStatus = "starting";
  #incarnation: Incarnation | undefined;
  #lastExit: Promise<KernelExit> | undefined;
  #held: KernelMessage[] | undefined;
  /** Nothing was asked of the present incarnation yet. */
  #unasked = false;
  #ending: Promise<void> | undefined;
  #restarting: Promise<void> | undefined;

  private constructor(launch: Launch, host: IncarnationHost) {
    this.spec = launch.spec;
    this.ended = this.#ended.promise;
    this.#launch = launch;
    this.#host = host;
    this.#hangWatch = new HangWatch(
      host.heartbeat,
      async (timeout) => (await this.#incarnation?.beat(timeout)) ?? true,
    );
  }

  /**
   * Starts a kernel and waits until it is ready. A process that was ready already runs `prepare`, before all that it is sent.
   * Throws `kernel_start_failed`, `too_many_open_files`, or the signal's reason.
   */
  static async start(
    launch: Launch,
    host: IncarnationHost,
    options: { signal?: AbortSignal; prepare?: string | undefined } = {},
  ): Promise<LocalKernel> {
    const kernel = new LocalKernel(launch, host);
    await kernel.#incarnate(options);
    return kernel;
  }

  get status(): KernelStatus {
    return this.#status;
  }

  get pid(): number {
    return this.#incarnation?.pid ?? 0;
  }

  get responding(): boolean {
    return this.#hangWatch.responding;
  }

  get prepared(): boolean {
    return this.#incarnation?.prepared ?? false;
  }

  get exited(): Promise<KernelExit> {
    return this.#lastExit!;
  }

  /** A request to a dead kernel is answered by its status, which a client that came too late would miss otherwise. */
  send(message: KernelMessage): void {
    if (this.#held) this.#held.push(message);
    else if (this.#status === "dead") this.#tellStatus("dead");
    else this.#ask(message);
  }

  subscribe(listener: (message: KernelMessage) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
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
      await this.#incarnate({ signal: this.#stop.signal });
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
    this.#stop.abort();
    await this.#restarting?.catch(() => {});
    await this.#incarnation?.shutdown(false);
    this.#ended.resolve();
  }

  async #incarnate({ signal, prepare }: { signal?: AbortSignal; prepare?: string | undefined }): Promise<void> {
    // Of a restart it may have been removed since the start.
    requireFolder(this.#launch.cwd);
    const deliver = (message: KernelMessage) => this.#deliver(message, this.#incarnation === incarnation);
    const { spares } = this.#host;
    const incarnation = await (spares
      ? spares.start(this.#launch, deliver, { signal, prepare })
      : startIncarnation(this.#launch, this.#host, deliver, signal));
    this.#incarnation = incarnation;
    this.#status = "idle";
    this.#unasked = true;
    this.#lastExit = incarnation.exited;
    incarnation.exited.then(() => {
      if (this.#incarnation === incarnation) this.#tellStatus("dead");
    });
  }

  /**
   * The first question is mostly what the start has asked already; a later one has to take its turn. The answer waits for the
   * event loop, so that a cell which the client has ready goes out before it.
   */
  #ask(message: KernelMessage): void {
    const incarnation = this.#incarnation;
    const isKnown = this.#unasked && message.header.msg_type === "kernel_info_request";
    this.#unasked = false;
    if (incarnation === undefined || !isKnown) incarnation?.send(message);
    else setImmediate(() => answerInfo(incarnation.info, message).forEach((said) => void this.#deliver(said, true)));
  }

  /** The last words of an incarnation that is being replaced are passed on, but its status is no longer the kernel's. */
  #deliver(message: KernelMessage, isPresent: boolean): void {
    const state = isPresent ? executionState(message) : undefined;
    if (state) this.#setStatus(state);
    for (const listener of this.#listeners) listener(message);
  }

  #setStatus(status: KernelStatus): void {
    this.#status = status;
    this.#hangWatch.watch(status === "busy");
  }

  /** A status that the process's life brought about, not a request: it has no parent. */
  #tellStatus(status: KernelStatus): void {
    this.#setStatus(status);
    const message = makeMessage("iopub", "status", { execution_state: status }, this.id);
    for (const listener of this.#listeners) listener(message);
  }
}

function executionState({ header, parent_header, content }: KernelMessage): KernelStatus | undefined {
  if (header.msg_type !== "status" || CONTROL_REQUESTS.has(parent_header.msg_type ?? "")) return undefined;
  const state = content.execution_state;
  return typeof state === "string" && EXECUTION_STATES.has(state) ? (state as KernelStatus) : undefined;
}
