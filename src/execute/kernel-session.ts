// A session: a kernel that lives across calls, with its queue. It has no kernel before its first call and after a death; the
// next call starts one. KernelSessions owns it and disposes it; `dispose` ends the kernel and is idempotent.

import type { Settings } from "../settings.ts";
import { CallQueue } from "./call-queue.ts";
import { LateOutput } from "./late-output.ts";
import type { KernelDeath } from "./model.ts";
import type { PythonKernel } from "./python-kernel.ts";

/** Where a call wants to run. Without a `name` the session is the folder's own; `owner` is who may end it with its own end. */
export interface SessionRequest {
  name?: string | undefined;
  cwd: string;
  environment: Record<string, string | undefined>;
  settings: Settings;
  owner?: string | undefined;
}

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
  /** The code asked to end the session (`exit()`); it ends with the call. */
  endAfterCall = false;
  /** Why the state of an earlier kernel is gone; the next call tells. */
  lost: string | undefined;

  constructor(
    readonly key: string,
    public request: SessionRequest,
  ) {}

  get name(): string {
    return this.request.name ?? this.request.cwd;
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
    kernel.onLateOutput = (message) => this.#late.receive(message);
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

  /** Ends the present kernel and forgets it. */
  async dropKernel(): Promise<void> {
    const kernel = this.#kernel;
    this.#kernel = undefined;
    await kernel?.shutdown();
  }

  dispose(): Promise<void> {
    this.#disposing ??= this.dropKernel();
    return this.#disposing;
  }
}

/** A death for a person: why, and the last words on standard error. */
export function describeDeath(death: KernelDeath): string {
  const words = death.stderr.trim();
  return words === "" ? death.reason : `${death.reason}; its last words: ${words}`;
}
