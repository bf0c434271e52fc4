// The sessions of one executor. A session enters `kernelSessions` with its first call and leaves it by eviction, idleness,
// death, `stop`, the end of its owner, or `disposeAll`; whichever way, its kernel's shutdown is awaited by `disposeAll`.

import { errorMessage } from "../errors.ts";
import { logLine } from "../log.ts";
import { unlessAborted } from "./call-queue.ts";
import { executorClosed, sessionNotFound, sessionsBusy } from "./errors.ts";
import { describeDeath, KernelSession, type SessionRequest } from "./kernel-session.ts";
import type { KernelDeath } from "./model.ts";
import { type CellEnd, type CellListener, runCell } from "./run-cell.ts";
import { checkSameKernel } from "./same-kernel.ts";
import { type KernelStarter, prepareKernel, startKernel } from "./start-kernel.ts";

/** How a cell of a session ended. `exhausted`: the kernel was restarted too often, and the cell did not run to an end. */
export interface SessionCellEnd extends CellEnd {
  restarted: boolean;
  exhausted: boolean;
}

/** What happens to a cell in a session; `onRestart` before it runs again in a new kernel. */
export interface SessionCellListener extends CellListener {
  onRestart(death: KernelDeath): void;
}

/** Milliseconds: between two looks whether kernels live, between two clean-ups, and of a call's wait for a busy session. */
export interface SessionTiming {
  heartbeat: number;
  cleanUp: number;
  busyWait: number;
}

const TIMING: SessionTiming = { heartbeat: 5_000, cleanUp: 30_000, busyWait: 30_000 };
/** Endings that a later call is told of. */
const MOST_ENDINGS = 100;

export class KernelSessions {
  readonly kernelSessions = new Map<string, KernelSession>();
  readonly #starter: KernelStarter;
  readonly #closing = new AbortController();
  readonly #shutdowns = new Set<Promise<unknown>>();
  readonly #endings = new Map<string, string>();
  readonly #timing: SessionTiming;
  readonly #timers: ReturnType<typeof setInterval>[];
  #freed = Promise.withResolvers<void>();

  constructor(starter: Omit<KernelStarter, "release">, timing: Partial<SessionTiming> = {}) {
    this.#starter = { ...starter, release: () => this.#releaseIdle() };
    this.#timing = { ...TIMING, ...timing };
    this.#timers = [
      setInterval(() => this.#beat(), this.#timing.heartbeat),
      setInterval(() => this.#cleanUp(), this.#timing.cleanUp),
    ];
    for (const timer of this.#timers) timer.unref();
  }

  /** Runs `task` when it is the call's turn in its session, with a kernel that lives. `reset` begins with a fresh one. */
  async withKernelSession<T>(
    request: SessionRequest,
    options: { signal: AbortSignal; reset?: boolean },
    task: (session: KernelSession) => Promise<T>,
  ): Promise<T> {
    const signal = AbortSignal.any([options.signal, this.#closing.signal]);
    for (;;) {
      const session = await this.#claim(request, signal);
      const outcome = await session.queue.run(signal, async () => {
        if (session.disposed) return undefined;
        try {
          await this.#ensureKernel(session, request, options.reset ?? false, signal).catch((error) => {
            // A session that never had a kernel takes no place.
            if (session.kernel === undefined && session.restartCount === 0) this.#track(this.#end(session));
            throw error;
          });
          return { value: await task(session) };
        } finally {
          session.touch();
          this.#finish(session);
        }
      });
      if (outcome !== undefined) return outcome.value;
    }
  }

  /** Runs one cell. A kernel that dies under it is restarted and the cell run once more, unless `crashRetry` is `never`. */
  async executePython(
    session: KernelSession,
    code: string,
    options: { signal: AbortSignal; listener: SessionCellListener; retry: boolean },
  ): Promise<SessionCellEnd> {
    let restarted = false;
    for (;;) {
      const kernel = session.kernel;
      if (kernel === undefined) throw executorClosed();
      const end = await runCell(kernel, code, options.signal, options.listener);
      if (end.status === "ok" || end.status === "error") session.cellCompleted();
      if (end.unresponsive) this.#replace(session);
      // Where only the connection is lost the cell may still run; running it again would do its work twice.
      const runsAgain = end.status === "died" && !end.death?.disconnected && !end.interrupted && options.retry;
      if (!runsAgain || session.disposed) {
        return { ...end, restarted, exhausted: false };
      }
      restarted = await this.restartKernelSession(session, options.signal, () =>
        options.listener.onRestart(end.death as KernelDeath),
      );
      if (!restarted) return { ...end, restarted, exhausted: true };
    }
  }

  /** Gives a session whose kernel died a new process; false when that happened too often without a cell completing. */
  async restartKernelSession(session: KernelSession, signal: AbortSignal, onRestart?: () => void): Promise<boolean> {
    session.restartCount++;
    if (session.exhausted) {
      this.#track(session.dropKernel());
      return false;
    }
    onRestart?.();
    try {
      const { kernel, request } = session;
      if (kernel !== undefined && (await kernel.restart(signal))) {
        await prepareKernel(this.#starter, kernel, request, signal);
      } else session.use(await startKernel(this.#starter, request, signal));
      return true;
    } catch (error) {
      this.#track(session.dropKernel());
      throw error;
    }
  }

  /** Ends a session by name. */
  async stop(name: string): Promise<void> {
    await this.#end(this.find(name));
  }

  /** Ends the kernel of a session; its next call starts a fresh one. */
  async restart(name: string): Promise<void> {
    const session = this.find(name);
    session.restartCount = 0;
    await session.dropKernel();
  }

  async interrupt(name: string): Promise<void> {
    await this.find(name).kernel?.interrupt();
  }

  find(name: string): KernelSession {
    const sessions = [...this.kernelSessions.values()];
    const found = sessions.find((session) => session.name === name);
    if (found !== undefined) return found;
    throw sessionNotFound(
      name,
      sessions.map((session) => session.name),
    );
  }

  /** Ends the sessions whose last caller was `owner`. */
  async disposeOwner(owner: string): Promise<void> {
    const owned = [...this.kernelSessions.values()].filter((session) => session.request.owner === owner);
    await Promise.allSettled(owned.map((session) => this.#end(session)));
  }

  async disposeAll(): Promise<void> {
    this.#closing.abort(executorClosed());
    for (const timer of this.#timers) clearInterval(timer);
    for (const session of this.kernelSessions.values()) this.#track(this.#end(session));
    while (this.#shutdowns.size > 0) await Promise.allSettled([...this.#shutdowns]);
  }

  /** Ends sessions that were idle too long, and dead ones; the next call to one is told. */
  #cleanUp(): void {
    for (const session of this.kernelSessions.values()) {
      if (session.busy) continue;
      const death = session.kernel?.dead;
      const limit = session.request.settings.idleTimeout;
      if (death !== undefined) this.#endWith(session, describeDeath(death));
      else if (session.idleFor > limit * 1000)
        this.#endWith(session, `it was ended after ${limit} seconds without a call`);
    }
  }

  /** Finds or makes the call's session; at the limit the one that was idle longest makes room. */
  async #claim(request: SessionRequest, signal: AbortSignal): Promise<KernelSession> {
    const key = sessionKey(request);
    if (request.settings.kernelMode === "per-call") return new KernelSession(key, request);
    const { busyWait } = this.#timing;
    const deadline = performance.now() + busyWait;
    for (;;) {
      signal.throwIfAborted();
      const session = this.kernelSessions.get(key) ?? this.#create(key, request);
      if (session !== undefined) return session;
      const left = deadline - performance.now();
      if (left <= 0)
        throw sessionsBusy(
          [...this.kernelSessions.values()].map(({ name }) => name),
          busyWait / 1000,
        );
      const limit = AbortSignal.any([signal, AbortSignal.timeout(left)]);
      await unlessAborted(this.#freed.promise, limit).catch(() => {});
    }
  }

  #create(key: string, request: SessionRequest): KernelSession | undefined {
    while (this.kernelSessions.size >= request.settings.maxSessions) {
      const idle = [...this.kernelSessions.values()].filter((session) => !session.busy);
      const oldest = idle.sort((left, right) => right.idleFor - left.idleFor)[0];
      if (oldest === undefined) return undefined;
      this.#endWith(oldest, `it was ended to make room for another session (maxSessions)`);
    }
    const session = new KernelSession(key, request);
    session.lost = this.#endings.get(key);
    this.#endings.delete(key);
    this.kernelSessions.set(key, session);
    return session;
  }

  async #ensureKernel(session: KernelSession, request: SessionRequest, reset: boolean, signal: AbortSignal) {
    if (reset) {
      this.#track(session.dropKernel());
      session.request = request;
      session.restartCount = 0;
      session.lost = undefined;
    } else if (session.kernel !== undefined) checkSameKernel(session, request);
    session.request.owner = request.owner;
    if (session.exhausted) return;
    const death = session.kernel?.dead;
    if (death?.disconnected && (await session.kernel?.resume(signal))) return;
    if (death !== undefined) {
      session.lost = describeDeath(death);
      await this.restartKernelSession(session, signal);
    } else if (session.kernel === undefined) {
      session.use(await startKernel(this.#starter, session.request, signal));
      session.onEnd ??= this.#starter.started?.(session);
    }
  }

  /** Ends a kernel that cannot be interrupted; the session's next call starts another. */
  #replace(session: KernelSession): void {
    session.restartCount++;
    this.#track(session.dropKernel());
  }

  /** After a call: a session of that call alone ends with it, and whoever waits for room looks again. */
  #finish(session: KernelSession): void {
    if (session.kernel !== undefined) this.#starter.records.write(session.request, session.kernel.name);
    if (session.endAfterCall) this.#track(this.#end(session));
    else if (this.kernelSessions.get(session.key) !== session) this.#track(session.dispose());
    this.#freed.resolve();
    this.#freed = Promise.withResolvers();
  }

  #endWith(session: KernelSession, reason: string): void {
    this.#endings.set(session.key, reason);
    const oldest = this.#endings.keys().next();
    if (this.#endings.size > MOST_ENDINGS && !oldest.done) this.#endings.delete(oldest.value);
    this.#track(this.#end(session));
  }

  async #end(session: KernelSession): Promise<void> {
    if (this.kernelSessions.get(session.key) === session) this.kernelSessions.delete(session.key);
    await session.dispose();
  }

  async #releaseIdle(): Promise<void> {
    const idle = [...this.kernelSessions.values()].filter((session) => !session.busy);
    for (const session of idle) this.#endWith(session, "it was ended because the system ran out of open files");
    await Promise.allSettled([...this.#shutdowns]);
  }

  #beat(): void {
    for (const session of this.kernelSessions.values()) this.#track(session.kernel?.isAlive() ?? Promise.resolve());
  }

  #track(work: Promise<unknown>): void {
    const settled = work.catch((error) => logLine(`a kernel did not end cleanly: ${errorMessage(error)}`));
    this.#shutdowns.add(settled);
    void settled.finally(() => this.#shutdowns.delete(settled));
  }
}

/** A named session is the same from every folder. */
function sessionKey({ name, notebook, cwd }: SessionRequest): string {
  if (name !== undefined) return `name:${name}`;
  return notebook === undefined ? `cwd:${cwd}` : `notebook:${notebook}`;
}
