// One kernel of the gateway under an id that survives restarts. starting -> idle <-> busy -> dead, restart leads back.
// The clients of it are links, one for each `session_id`; a link outlives its socket and keeps what arrives meanwhile. Who
// gives no `session_id` cannot come back for it, and has a link as long as a socket.
// `KernelHost` owns it and calls `dispose`, which ends the kernel; a socket owns only its connection.

import { errorMessage } from "../errors.ts";
import type { KernelMessage } from "../kernel/message.ts";
import type { Kernel, KernelStatus } from "../kernel/model.ts";
import { logLine } from "../log.ts";
import { ClientLink, type Receiver } from "./client-link.ts";
import { deathMessage, replacementMessage } from "./status-message.ts";

/** The model of a kernel in the REST API (Jupyter Server, "Kernels"). */
export interface KernelModel {
  id: string;
  name: string;
  last_activity: string;
  execution_state: KernelStatus;
  connections: number;
  /** The kernel's process; Jupyter's own servers do not tell. */
  pid: number;
  /** False while a busy kernel does not answer its heartbeat. */
  responding: boolean;
  /** What the kernelspec says. */
  language: string;
  /** The `prepare` of its start runs before all that it is sent. */
  prepared: boolean;
}

/** What a socket holds of a kernel: the way in, the way out from `attach` on, and the end of both. */
export interface Connection {
  send(message: KernelMessage): void;
  attach(receiver: Receiver): void;
  /** A receiver that asked to wait takes messages again. */
  resume(receiver: Receiver): void;
  close(): void;
}

/** How long a client's messages are kept at least once it has gone. */
const LONGEST_ABSENCE_MS = 600_000;

export class HostedKernel {
  readonly id = crypto.randomUUID();
  readonly #kernel: Kernel;
  readonly #spillFolder: string;
  readonly #links = new Map<string, ClientLink>();
  /** Which link asked, by message id: replies and input requests go to that one alone. */
  readonly #askers = new Map<string, ClientLink>();
  readonly #unsubscribe: () => void;
  /** When it started, or the last client went that cannot come back. */
  #aloneSince = performance.now();
  #lastActivity = new Date();
  #kernelSession = "";
  #restarting = 0;
  #ended = false;

  constructor(kernel: Kernel, spillFolder: string) {
    this.#kernel = kernel;
    this.#spillFolder = spillFolder;
    this.#unsubscribe = kernel.subscribe((message) => this.#receive(message));
    this.#watchExit();
  }

  get model(): KernelModel {
    return {
      id: this.id,
      name: this.#kernel.spec.name,
      last_activity: this.#lastActivity.toISOString(),
      execution_state: this.#kernel.status,
      connections: [...this.#links.values()].filter((link) => link.connected).length,
      pid: this.#kernel.pid,
      responding: this.#kernel.responding,
      language: this.#kernel.spec.language,
      prepared: this.#kernel.prepared,
    };
  }

  /** Milliseconds since the last client went, or since the start; 0 while there is one. */
  get aloneFor(): number {
    const absences = [...this.#links.values()].map((link) => link.parkedFor);
    return Math.min(performance.now() - this.#aloneSince, ...absences);
  }

  /** Joins a client; what was kept for its `sessionId` is delivered first, in order. */
  connect(sessionId: string | undefined): Connection {
    this.#dropOldLinks();
    const key = sessionId ?? crypto.randomUUID();
    const link = this.#links.get(key) ?? new ClientLink(this.#spillFolder);
    this.#links.set(key, link);
    let attached: Receiver | undefined;
    return {
      send: (message) => this.#send(link, message),
      attach: (receiver) => {
        attached = receiver;
        link.attach(receiver);
      },
      resume: (receiver) => link.resume(receiver),
      close: () => {
        if (sessionId === undefined) this.#drop(key, link);
        else if (attached) link.detach(attached);
      },
    };
  }

  interrupt(): Promise<void> {
    return this.#kernel.interrupt();
  }

  /** A new process under the same id. What was asked of the old one is never answered, and what it said counts no more. */
  async restart(): Promise<void> {
    this.#restarting++;
    try {
      this.#askers.clear();
      this.#broadcast(replacementMessage());
      for (const link of this.#links.values()) link.forget();
      await this.#kernel.restart();
    } finally {
      this.#restarting--;
      this.#watchExit();
    }
  }

  async dispose(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    this.#unsubscribe();
    for (const link of this.#links.values()) link.close();
    this.#links.clear();
    this.#askers.clear();
    await this.#kernel.shutdown();
  }

  #send(link: ClientLink, message: KernelMessage): void {
    this.#lastActivity = new Date();
    if (expectsReply(message)) this.#askers.set(message.header.msg_id, link);
    try {
      this.#kernel.send(message);
    } catch (error) {
      // The kernel is gone; its clients hear of that by its status.
      this.#askers.delete(message.header.msg_id);
      logLine(`a message to kernel ${this.id} was not sent: ${errorMessage(error)}`);
    }
  }

  #receive(message: KernelMessage): void {
    this.#lastActivity = new Date();
    if (message.channel === "iopub") {
      if (isLifeCycle(message)) return;
      this.#kernelSession = message.header.session;
      this.#broadcast(message);
      return;
    }
    const asked = message.parent_header.msg_id ?? "";
    const link = this.#askers.get(asked);
    if (message.channel !== "stdin") this.#askers.delete(asked);
    link?.deliver(message);
  }

  #broadcast(message: KernelMessage): void {
    for (const link of this.#links.values()) link.deliver(message);
  }

  /** A client that has been away long is not waited for while there are others. */
  #dropOldLinks(): void {
    for (const [sessionId, link] of this.#links) {
      if (link.parkedFor >= LONGEST_ABSENCE_MS) this.#drop(sessionId, link);
    }
  }

  #drop(sessionId: string, link: ClientLink): void {
    if (link.connected) this.#aloneSince = performance.now();
    this.#links.delete(sessionId);
    link.close();
  }

  /** Tells every client of the death of this incarnation, with the exit code or signal, unless it was asked for. */
  #watchExit(): void {
    void this.#kernel.exited.then((exit) => {
      if (this.#restarting > 0 || this.#ended) return;
      this.#askers.clear();
      this.#broadcast(deathMessage(exit, this.#kernelSession));
    });
  }
}

/** `comm_open`, `comm_msg`, `comm_close` and `input_reply` are answered by nothing ("Messaging in Jupyter", "Custom messages"). */
function expectsReply(message: KernelMessage): boolean {
  return message.header.msg_type.endsWith("_request");
}

/** What the kernel's process goes through; a late `starting` of one that was found ready would be taken for a restart. */
const LIFE_CYCLE = new Set<unknown>(["starting", "restarting", "dead"]);

/** A death and a restart are announced by the hosted kernel itself, which knows the cause of both. */
function isLifeCycle({ header, content }: KernelMessage): boolean {
  return header.msg_type === "status" && LIFE_CYCLE.has(content.execution_state);
}
