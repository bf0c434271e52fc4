// What is done in the sessions of one executor. Calls of a session run one after the other; its kernel is there when they do.
// `disposeAll` ends all sessions and is idempotent; calls that come later, or still wait, are refused.

import { executorClosed, sessionEnded } from "./errors.ts";
import { describeDeath, type KernelSession, type SessionRequest } from "./kernel-session.ts";
import type { KernelDeath } from "./model.ts";
import { type CellEnd, type CellListener, runCell } from "./run-cell.ts";
import { checkSameKernel } from "./same-kernel.ts";
import { SessionPool, type SessionTiming } from "./session-pool.ts";
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

export class KernelSessions {
  readonly #starter: KernelStarter;
  readonly #pool: SessionPool;
  readonly #closing = new AbortController();

  constructor(
    starter: Omit<KernelStarter, "release">,
    timing?: Partial<SessionTiming>,
    endings?: Iterable<[key: string, reason: string]>,
  ) {
    this.#pool = new SessionPool(timing, endings);
    const release = () => this.#pool.endIdle("it was ended because the system ran out of open files");
    this.#starter = { ...starter, release };
  }

  /** Those that are live, by what finds them: a name, a notebook or a folder. */
  get kernelSessions(): ReadonlyMap<string, KernelSession> {
    return this.#pool.sessions;
  }

  /** Runs `task` when it is the call's turn in its session, with a kernel that lives. `reset` begins with a fresh one. */
  async withKernelSession<T>(
    request: SessionRequest,
    options: { signal: AbortSignal; reset?: boolean },
    task: (session: KernelSession) => Promise<T>,
  ): Promise<T> {
    const signal = AbortSignal.any([options.signal, this.#closing.signal]);
    for (;;) {
      const session = await this.#pool.claim(request, signal);
      const outcome = await session.queue.run(signal, async () => {
        if (session.disposed) return undefined;
        try {
          await this.#ensureKernel(session, request, options.reset ?? false, signal).catch((error) => {
            if (session.disposed && !signal.aborted) return;
            // A session that never had a kernel takes no place.
            if (session.kernel === undefined && session.restartCount === 0) this.#pool.track(this.#pool.end(session));
            throw error;
          });
          // It was ended while its kernel started: the call goes on in another.
          if (session.disposed) return undefined;
          return { value: await task(session) };
        } finally {
          session.touch();
          if (session.kernel !== undefined) this.#starter.records.write(session.request, session.kernel.name);
          this.#pool.release(session);
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
      if (kernel === undefined) throw sessionEnded(session.name);
      const end = await runCell(kernel, code, options.signal, options.listener);
      if (end.status === "ok" || end.status === "error") session.cellCompleted();
      if (end.unresponsive) this.#replace(session);
      // Where only the connection is lost the cell may still run; running it again would do its work twice. A kernel that the
      // session has no more was ended on request, and its cell with it.
      const crashed = end.status === "died" && !end.death?.disconnected && session.kernel === kernel;
      if (!crashed || end.interrupted || !options.retry) {
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
      this.#pool.track(session.dropKernel());
      return false;
    }
    onRestart?.();
    try {
      const { kernel, request } = session;
      if (kernel !== undefined && (await kernel.restart(signal))) {
        await prepareKernel(this.#starter, kernel, request, signal);
      } else if (!session.disposed) await this.#startKernel(session, signal);
      if (session.disposed) throw sessionEnded(session.name);
      return true;
    } catch (error) {
      this.#pool.track(session.dropKernel());
      throw error;
    }
  }

  /** Ends a session by name. */
  async stop(name: string): Promise<void> {
    await this.#pool.end(this.#pool.find(name));
  }

  /** Ends the kernel of a session; its next call starts a fresh one. */
  async restart(name: string): Promise<void> {
    const session = this.#pool.find(name);
    session.restartCount = 0;
    await session.dropKernel({ reason: "it was restarted on request" });
  }

  async interrupt(name: string): Promise<void> {
    await this.#pool.find(name).kernel?.interrupt();
  }

  /** Throws `session_not_found`. */
  find(name: string): KernelSession {
    return this.#pool.find(name);
  }

  async disposeOwner(owner: string): Promise<void> {
    await this.#pool.endOwner(owner);
  }

  async disposeAll(): Promise<void> {
    this.#closing.abort(executorClosed());
    await this.#pool.dispose();
  }

  async #ensureKernel(session: KernelSession, request: SessionRequest, reset: boolean, signal: AbortSignal) {
    if (reset) {
      this.#pool.track(session.dropKernel({ replaced: true }));
      session.request = request;
      session.restartCount = 0;
      session.lost = undefined;
    } else if (session.kernel !== undefined) checkSameKernel(session, request);
    session.request.owner = request.owner;
    if (session.exhausted) return;
    await this.#starter.client.wake(signal);
    await session.kernel?.reach(signal);
    if (session.kernel?.dead?.disconnected && (await session.kernel.resume(signal))) return;
    const death = session.kernel?.dead;
    if (death !== undefined) {
      session.lost = describeDeath(death);
      await this.restartKernelSession(session, signal);
    } else if (session.kernel === undefined) {
      await this.#startKernel(session, signal);
      if (!session.disposed) session.onEnd ??= this.#starter.started?.(session);
    }
  }

  /** A session that ends while its kernel starts leaves it to nobody. */
  async #startKernel(session: KernelSession, signal: AbortSignal): Promise<void> {
    const kernel = await startKernel(this.#starter, session.request, signal);
    if (session.disposed) this.#pool.track(kernel.shutdown());
    else session.use(kernel);
  }

  /** Ends a kernel that cannot be interrupted; the session's next call starts another. */
  #replace(session: KernelSession): void {
    session.restartCount++;
    this.#pool.track(session.dropKernel());
  }
}
