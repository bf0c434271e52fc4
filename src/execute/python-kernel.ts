// A kernel behind a gateway, through `KernelConnection` of @jupyterlab/services. starting -> ready -> dead; `restart` leads
// back to ready under the same id, `shutdown` ends it for good. One execution at a time, by its session's queue.
// Messages are taken from the `anyMessage` signal, synchronously and in order: the futures of services re-route display
// updates and drop what arrives around a restart.

import type { Kernel, KernelMessage, ServerConnection } from "@jupyterlab/services";
import { Execution, type ExecutionListener } from "./execution.ts";
import type { GatewayClient, KernelModel } from "./gateway-client.ts";
import type { KernelRequest } from "./gateway-settings.ts";
import {
  awaitStart,
  channelsOpen,
  executeRequest,
  letGo,
  openConnection,
  requestInterrupt,
  serverSettings,
} from "./kernel-connection.ts";
import { answersPresent, deathBecause, readDeath, readIncarnation } from "./kernel-death.ts";
import type { KernelDeath } from "./model.ts";
import { loadServices, type Services } from "./services.ts";

export class PythonKernel {
  readonly id: string;
  /** Output of requests that have ended: of a thread that still prints, for example. */
  onLateOutput: (message: KernelMessage.IIOPubMessage) => void = () => {};
  /** What went wrong with the user's modules when it was prepared. */
  diagnostics: unknown[] = [];
  readonly #client: GatewayClient;
  readonly #services: Services;
  readonly #settings: ServerConnection.ISettings;
  readonly #clientId = crypto.randomUUID();
  #model: KernelModel;
  #connection: Kernel.IKernelConnection | undefined;
  #language = "";
  #death = Promise.withResolvers<KernelDeath>();
  #dead: KernelDeath | undefined;
  #isShutDown = false;
  #execution: Execution | undefined;
  /** A cell was cancelled while the gateway could not be told. */
  #owesInterrupt = false;
  /** The execution that ran when the connection dropped, and the `kernel_info_request` that followed the reconnection. */
  #interrupted: Execution | undefined;
  #probe: string | undefined;
  #droppedAt: number | undefined;
  /** The session id of the kernel's own status messages; `starting` with another one means that somebody restarted it. */
  #incarnation: string | undefined;

  private constructor(
    client: GatewayClient,
    services: Services,
    settings: ServerConnection.ISettings,
    model: KernelModel,
  ) {
    this.#client = client;
    this.#services = services;
    this.#settings = settings;
    this.#model = model;
    this.id = model.id;
  }

  /** Starts a kernel on the gateway, and loads the client library while that takes its time. */
  static async start(client: GatewayClient, request: KernelRequest, signal: AbortSignal): Promise<PythonKernel> {
    const starting = client.startKernel(request, signal);
    const loading = loadServices().then((services) => [services, serverSettings(services, client.settings)] as const);
    const [[services, settings], model] = await Promise.all([loading, starting]);
    const kernel = new PythonKernel(client, services, settings, model);
    try {
      await kernel.#connect(signal);
      return kernel;
    } catch (error) {
      await kernel.shutdown().catch(() => {});
      throw error;
    }
  }

  /** The kernelspec's name. */
  get name(): string {
    return this.#model.name;
  }

  /** The process, where the gateway tells it. */
  get pid(): number | null {
    return this.#model.pid ?? null;
  }

  /** False while a gateway of ours says that the busy kernel does not answer its heartbeat. */
  get responding(): boolean {
    return this.#model.responding ?? true;
  }

  /** The gateway has it run the `prepare` of its start before all that it is sent. */
  get prepared(): boolean {
    return this.#model.prepared ?? false;
  }

  /** The language of the cells, in the kernel's own words (`python`, `R`). */
  get language(): string {
    return this.#language;
  }

  /** For requests that run no code; undefined while there is none. */
  get connection(): Kernel.IKernelConnection | undefined {
    return this.#connection;
  }

  /** Milliseconds since the connection dropped; 0 while there is one, or none is wanted. */
  get disconnectedFor(): number {
    return this.#dead === undefined && this.#droppedAt !== undefined ? performance.now() - this.#droppedAt : 0;
  }

  /** How the present incarnation ended, or undefined while it lives. */
  get dead(): KernelDeath | undefined {
    return this.#dead;
  }

  /** Resolves when the present incarnation has ended. */
  get death(): Promise<KernelDeath> {
    return this.#death.promise;
  }

  /** Sends code. A silent execution counts nothing, stores nothing and may not ask for input. */
  execute(code: string, listener: ExecutionListener, options: { silent?: boolean } = {}): Execution {
    const message = executeRequest(this.#services, this.#clientId, code, options.silent ?? false);
    const execution = new Execution(message.header.msg_id, listener);
    if (this.#dead !== undefined || this.#connection === undefined) {
      execution.die(this.#dead ?? deathBecause("it was shut down"));
      return execution;
    }
    this.#execution = execution;
    // Its future is not waited for, and would be asked about every message.
    this.#connection.sendShellMessage(message, true, false).dispose();
    void execution.done.then(() => {
      if (this.#execution === execution) this.#execution = undefined;
    });
    return execution;
  }

  /** Answers an `input_request` with nothing; a program has no keyboard. */
  replyInput(request: KernelMessage.IInputRequestMsg, value: string): void {
    this.#connection?.sendInputReply({ status: "ok", value }, request.header);
  }

  /** The gateway's way: a signal to the process group, or a message where the kernelspec says so. */
  interrupt(): Promise<void> {
    return this.#client.interruptKernel(this.id);
  }

  /** `interrupt_request` on the control channel, for a kernel that a signal did not reach. Resolves at its reply. */
  async interruptByMessage(): Promise<void> {
    if (this.#connection) await requestInterrupt(this.#services, this.#connection, this.death);
  }

  /** Asks the gateway whether the kernel is still there; a gateway that cannot be asked says nothing about it. */
  async isAlive(signal?: AbortSignal): Promise<boolean> {
    if (this.#dead !== undefined) return false;
    const asked = this.#connection;
    const isConnected = asked?.connectionStatus === "connected";
    const model = await this.#client.findKernel(this.id, signal).catch((error) => {
      // One that was replaced goes on with its open connections.
      if (!isConnected && asked === this.#connection && this.#client.hasEnded(error))
        this.#die(deathBecause("its gateway has ended"));
      return this.#model;
    });
    // What is told of an incarnation that was replaced meanwhile says nothing about the present one.
    if (asked !== this.#connection) return this.#dead === undefined;
    if (model === undefined) this.#die(deathBecause("the gateway has it no more"));
    else if (model.execution_state === "dead") this.#die(deathBecause("its process ended"));
    else this.#model = model;
    return this.#dead === undefined;
  }

  /** While the connection is down: whether the gateway has the kernel yet. Throws when it cannot be asked. */
  async reach(signal: AbortSignal): Promise<void> {
    if (this.#dead !== undefined || this.#connection?.connectionStatus === "connected") return;
    if ((await this.#client.findKernel(this.id, signal)) === undefined) {
      this.#die(deathBecause("the gateway has it no more"));
    }
  }

  /** Gives the connection up: nothing answers there. The kernel may go on, and `resume` finds out and stops a cancelled cell. */
  loseConnection(cancelled = false): void {
    this.#owesInterrupt = cancelled;
    this.#die({ ...deathBecause("the connection to it was lost"), disconnected: true });
  }

  /** A new process under the same id; false when the gateway has that no more, and a new kernel is needed. */
  async restart(signal: AbortSignal): Promise<boolean> {
    // Whoever replaced it already may have state in it by now.
    if (this.#dead?.replaced) return await this.resume(signal);
    this.#disconnect();
    this.#execution?.die(this.#dead ?? deathBecause("it was restarted"));
    return await this.#revive(await this.#client.restartKernel(this.id, signal), signal);
  }

  /** Connects anew to the kernel as it is; false when the gateway has it no more, or it just died. */
  async resume(signal: AbortSignal): Promise<boolean> {
    const model = await this.#client.findKernel(this.id, signal);
    // One that is idle by now was interrupted, or done; a kernel may end by a signal that comes between two cells.
    if (this.#owesInterrupt && model?.execution_state === "busy") await this.interrupt();
    this.#owesInterrupt = false;
    try {
      return await this.#revive(model?.execution_state === "dead" ? undefined : model, signal);
    } catch (error) {
      // It died when what had waited for it arrived, an interrupt for one.
      if (this.#dead === undefined || this.#dead.disconnected) throw error;
      return false;
    }
  }

  async #revive(model: KernelModel | undefined, signal: AbortSignal): Promise<boolean> {
    if (model === undefined || this.#isShutDown) return false;
    this.#model = model;
    this.#dead = undefined;
    this.#death = Promise.withResolvers();
    this.#incarnation = undefined;
    this.#droppedAt = undefined;
    await this.#connect(signal);
    return true;
  }

  /**
   * Ends the kernel for good, after so many milliseconds when that may wait for what takes its place. Idempotent; a running
   * execution ends as died, at once.
   */
  async shutdown(reason = "it was shut down", delay = 0): Promise<void> {
    this.#isShutDown = true;
    this.#disconnect();
    this.#dead ??= deathBecause(reason);
    this.#execution?.die(this.#dead);
    this.#death.resolve(this.#dead);
    if (delay > 0) await Bun.sleep(delay);
    await this.#client.shutdownKernel(this.id);
  }

  async #connect(signal: AbortSignal): Promise<void> {
    const connection = openConnection(this.#services, this.#settings, this.#model, this.#clientId);
    this.#connection = connection;
    connection.anyMessage.connect((_, { msg, direction }) => {
      if (this.#connection !== connection) return;
      if (direction === "recv") this.#receive(msg);
      else if (msg.header.msg_type === "kernel_info_request" && this.#interrupted) this.#probe = msg.header.msg_id;
    });
    connection.connectionStatusChanged.connect((_, status) => {
      if (this.#connection !== connection) return;
      if (status === "disconnected") this.loseConnection();
      this.#droppedAt = status === "connecting" ? (this.#droppedAt ?? performance.now()) : undefined;
      if (status !== "connecting") return;
      this.#interrupted = this.#execution;
      void this.isAlive();
    });
    const { language } = this.#model;
    const start: Promise<unknown> = language === undefined ? connection.info : channelsOpen(connection);
    await awaitStart(connection, start, this.death, signal);
    this.#language = language ?? (await connection.info).language_info?.name ?? "";
  }

  #receive(message: KernelMessage.IMessage): void {
    const death = readDeath(message, this.#incarnation);
    if (answersPresent(message, this.#clientId, this.#execution?.id)) this.#incarnation ??= readIncarnation(message);
    if (death !== undefined) {
      this.#die(death);
      return;
    }
    const parent = message.parent_header as Partial<KernelMessage.IHeader>;
    if (this.#execution !== undefined && parent.msg_id === this.#execution.id) this.#execution.receive(message);
    else if (message.header.msg_type === "kernel_info_reply" && parent.msg_id === this.#probe) this.#loseInterrupted();
    else if (message.channel === "iopub" && parent.session === this.#clientId) {
      this.onLateOutput(message as KernelMessage.IIOPubMessage);
    }
    letGo(message);
  }

  /** The kernel answers in order, so a reply to a later request proves that the reply to the earlier one is lost. */
  #loseInterrupted(): void {
    this.#probe = undefined;
    if (this.#interrupted === this.#execution) this.#execution?.lose();
    this.#interrupted = undefined;
  }

  #die(death: KernelDeath): void {
    if (this.#dead !== undefined) return;
    this.#dead = death;
    this.#disconnect();
    this.#execution?.die(death);
    this.#death.resolve(death);
  }

  #disconnect(): void {
    const connection = this.#connection;
    // Unset first: it reports its own end as "disconnected", which is no death then.
    this.#connection = undefined;
    connection?.dispose();
  }
}
