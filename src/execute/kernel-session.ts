// A session: a kernel that lives across calls, with its queue. It has no kernel before its first call and after a death; the
// next call starts one. KernelSessions owns it and disposes it; `dispose` ends the kernel and is idempotent.

import type { KernelMessage } from "@jupyterlab/services";
import type { Settings } from "../settings.ts";
import { CallQueue } from "./call-queue.ts";
import { LateOutput } from "./late-output.ts";
import type { KernelDeath } from "./model.ts";
import type { PythonKernel } from "./python-kernel.ts";

/** Where a call wants to run. Without a `name` the session is the notebook's or else the folder's own. */
export interface SessionRequest {
  name?: string | undefined;
  /** The notebook whose session it is; the prelude is not loaded there. */
  notebook?: string | undefined;
  cwd: string;
  environment: Record<string, string | undefined>;
  settings: Settings;
  /** Who may end the session with its own end. */
  owner?: string | undefined;
}

/** What a session is called: for listing it, and for its files. */
export function sessionName({ name, notebook, cwd }: SessionRequest): string {
  return name ?? notebook ?? cwd;
}

/** The end of a process costs as much as the first cell of another, which somebody waits for. */
const HEAD_START_MS = 100;
/** Restarts since the last completed cell that a session survives. */
const MOST_RESTARTS = 1;

export class KernelSession {
  readonly queue = new CallQueue();
  /** Restarts since the last cell that completed. */
  restartCount = 0;
  lastUsedAt = new Date();
  #kernel: PythonKernel | undefined;
  #lastUsed = performance.now();
  #disposing: Promise<void> | undefined;
  readonly #late = new LateOutput();
  /** Takes late output that belongs to the run that is going on; false for what does not. */
  lateListener: ((message: KernelMessage.IIOPubMessage) => boolean) | undefined;
  /** The code asked to end the session (`exit()`); it ends with the call. */
  endAfterCall = false;
  onEnd: (() => unknown) | undefined;
  /** Why the state of an earlier kernel is gone; the next call tells. */
  lost: string | undefined;

  constructor(
    readonly key: string,
    public request: SessionRequest,
  ) {}

  get name(): string {
    return sessionName(this.request);
  }

  get kernel(): PythonKernel | undefined {
    return this.#kernel;
  }

  get disposed(): boolean {
    return this.#disposing !== undefined;
  }

  get busy(): boolean {
    return this.queue.length > 0;
  }

  /** It was restarted too often without a cell completing between; only a reset helps. */
  get exhausted(): boolean {
    return this.restartCount > MOST_RESTARTS;
  }

  /** Milliseconds since its last call ended, by a clock that does not jump. */
  get idleFor(): number {
    return this.busy ? 0 : performance.now() - this.#lastUsed;
  }

  use(kernel: PythonKernel): void {
    this.#kernel = kernel;
    kernel.onLateOutput = (message) => {
      if (!this.lateListener?.(message)) this.#late.receive(message);
    };
  }

  /** What came after the calls that caused it had ended; told once. */
  takeLateOutput(): string {
    return this.#late.take();
  }

  touch(): void {
    this.#lastUsed = performance.now();
    this.lastUsedAt = new Date();
  }

  cellCompleted(): void {
    this.restartCount = 0;
  }

  /** Ends the present kernel and forgets it; a cell that runs hears the reason. One that is replaced lets the other go first. */
  async dropKernel({ reason, replaced = false }: { reason?: string; replaced?: boolean } = {}): Promise<void> {
    const kernel = this.#kernel;
    this.#kernel = undefined;
    await kernel?.shutdown(reason, replaced ? HEAD_START_MS : 0);
  }

  dispose(replaced = false): Promise<void> {
    this.#disposing ??= this.dropKernel({ replaced }).finally(() => this.onEnd?.());
    return this.#disposing;
  }
}

/** A death for a person: why, and the last words on standard error. */
export function describeDeath(death: KernelDeath): string {
  const words = death.stderr.trim();
  return words === "" ? death.reason : `${death.reason}; its last words: ${words}`;
}
