import type { KernelMessage } from "./message.ts";

/** A kernelspec as found on this host (jupyter_client, "Kernel specs"). `resourceDir` is empty for the bundled kernel. */
export interface KernelSpec {
  name: string;
  displayName: string;
  language: string;
  argv: string[];
  env: Record<string, string>;
  interruptMode: "signal" | "message";
  metadata: Record<string, unknown>;
  resourceDir: string;
  /** Puts files that `argv` names on the disk; called before each start of a process. */
  deliver?(): void;
}

/** How a kernel process ended; `stderr` holds its last words. Exactly one of `code` and `signal` is set. */
export interface KernelExit {
  code: number | null;
  signal: string | null;
  stderr: string;
}

/** The execution state as last told by the kernel or by its process. */
export type KernelStatus = "starting" | "idle" | "busy" | "restarting" | "dead";

/** One kernel: a process and its channels. Its owner calls `shutdown`, which is idempotent. */
export interface Kernel {
  readonly id: string;
  readonly spec: KernelSpec;
  readonly status: KernelStatus;
  readonly pid: number;
  /** False while a busy kernel's heartbeat stays unanswered: a stopped process or a long call into C. It is no proof of death. */
  readonly responding: boolean;
  /** It runs the `prepare` of its start before all that it is sent. */
  readonly prepared: boolean;
  /** Resolves once, when the process of the present incarnation has ended. */
  readonly exited: Promise<KernelExit>;
  /** Sends a request as the client made it; ids and session stay. */
  send(message: KernelMessage): void;
  /** Every message of every channel, in arrival order, the process's own status changes included. Returns the unsubscriber. */
  subscribe(listener: (message: KernelMessage) => void): () => void;
  /** SIGINT to the process and its children, or an `interrupt_request`, as the spec's `interruptMode` says. */
  interrupt(): Promise<void>;
  restart(): Promise<void>;
  shutdown(): Promise<void>;
}

/** Where kernels are looked for and run. */
export interface KernelPlace {
  cwd: string;
  /** The whole environment of the process, already filtered. */
  env: Record<string, string>;
  /** The `python` setting of the call, null where that names none; absent where the provider's own counts. */
  python?: string | null;
  signal?: AbortSignal;
}

/** What a new kernel process gets. */
export interface KernelStart extends KernelPlace {
  /** A kernelspec's name, `bundled`, or `auto` (see the `kernel` setting). */
  kernel: string;
  /** Python code that no client sees; only a process that was ready before it was asked for runs it. */
  prepare?: string;
}

/** What the gateway needs to know of kernels: which there are, and how to start one. */
export interface KernelProvider {
  /** Those of the provider's own folder and environment, or of another place. */
  specs(place?: KernelPlace): Promise<{ default: string; specs: KernelSpec[] }>;
  start(request: KernelStart): Promise<Kernel>;
}
