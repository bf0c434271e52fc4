// Which sessions there are. A session enters with its first call and leaves by eviction, idleness, death, `end`, or the end of
// its owner; whichever way, `dispose` waits until its kernel is gone. KernelSessions owns the pool.

import { errorMessage } from "../errors.ts";
import { logLine } from "../log.ts";
import { unlessAborted } from "./call-queue.ts";
import { sessionNotFound, sessionsBusy } from "./errors.ts";
import { describeDeath, KernelSession, type SessionRequest } from "./kernel-session.ts";

/**
 * Milliseconds: between two looks whether kernels live, between two clean-ups, of a call's wait for a busy session, and of a
 * running cell's wait for a connection that dropped.
 */
export interface SessionTiming {
  heartbeat: number;
  cleanUp: number;
  busyWait: number;
  reconnection: number;
}

const TIMING: SessionTiming = { heartbeat: 5_000, cleanUp: 30_000, busyWait: 30_000, reconnection: 600_000 };
/** Endings that a later call is told of. */
const MOST_ENDINGS = 100;

export class SessionPool {
  readonly sessions = new Map<string, KernelSession>();
  /** Sessions of a single call, which ends them. */
  readonly #transient = new Set<KernelSession>();
  readonly #endings: Map<string, string>;
  readonly #work = new Set<Promise<unknown>>();
  readonly #timing: SessionTiming;
  readonly #timers: ReturnType<typeof setInterval>[];
  #freed = Promise.withResolvers<void>();

  /** `endings` are those of sessions before this pool: why their state is gone, by key. */
  constructor(timing: Partial<SessionTiming> = {}, endings: Iterable<[key: string, reason: string]> = []) {
    this.#endings = new Map(endings);
    this.#timing = { ...TIMING, ...timing };
    this.#timers = [
      setInterval(() => this.#beat(), this.#timing.heartbeat),
      setInterval(() => this.#cleanUp(), this.#timing.cleanUp),
    ];
    for (const timer of this.#timers) timer.unref();
  }

  /** Finds or makes a call's session. At the limit the one that was idle longest makes room; while all are busy it waits. */
  async claim(request: SessionRequest, signal: AbortSignal): Promise<KernelSession> {
    signal.throwIfAborted();
    const key = this.#keyOf(request);
    if (request.settings.kernelMode === "per-call") return this.#createTransient(key, request);
    const deadline = performance.now() + this.#timing.busyWait;
    for (;;) {
      signal.throwIfAborted();
      const session = this.sessions.get(key) ?? this.#create(key, request);
      if (session !== undefined) return session;
      const left = deadline - performance.now();
      if (left <= 0) throw sessionsBusy(this.#names(), this.#timing.busyWait / 1000);
      const limit = AbortSignal.any([signal, AbortSignal.timeout(left)]);
      await unlessAborted(this.#freed.promise, limit).catch(() => {});
    }
  }

  /** After a call: a session that was for it alone, or was asked to end, ends; and whoever waits for room looks again. */
  release(session: KernelSession): void {
    if (session.endAfterCall || this.#transient.has(session)) this.track(this.end(session));
    this.#freed.resolve();
    this.#freed = Promise.withResolvers();
  }

  /** Throws `session_not_found`. */
  find(name: string): KernelSession {
    const found = [...this.sessions.values()].find((session) => session.name === name);
    if (found === undefined) throw sessionNotFound(name, this.#names());
    return found;
  }

  /** Ends a session; `replaced` when another takes its place and goes first. */
  async end(session: KernelSession, replaced = false): Promise<void> {
    this.#transient.delete(session);
    if (this.sessions.get(session.key) === session) this.sessions.delete(session.key);
    if (session.lost !== undefined) this.#endings.set(session.key, session.lost);
    await session.dispose(replaced);
  }

  /** Ends the sessions whose last caller was `owner`. */
  async endOwner(owner: string): Promise<void> {
    const owned = [...this.sessions.values()].filter((session) => session.request.owner === owner);
    await Promise.allSettled(owned.map((session) => this.end(session)));
  }

  /** Ends every session that is not busy and waits until their kernels are gone; the next call to one is told why. */
  async endIdle(reason: string): Promise<void> {
    for (const session of this.sessions.values()) if (!session.busy) this.#endWith(session, reason);
    await Promise.allSettled([...this.#work]);
  }

  /** Work whose outcome nobody waits for now; `dispose` does. */
  track(work: Promise<unknown>): void {
    const settled = work.catch((error) => logLine(`a kernel did not end cleanly: ${errorMessage(error)}`));
    this.#work.add(settled);
    void settled.finally(() => this.#work.delete(settled));
  }

  async dispose(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    for (const session of [...this.sessions.values(), ...this.#transient]) this.track(this.end(session));
    while (this.#work.size > 0) await Promise.allSettled([...this.#work]);
  }

  /** A name also stands for the live session that is listed by it: a folder's own, or a notebook's. */
  #keyOf(request: SessionRequest): string {
    const { name } = request;
    const listed = name === undefined ? undefined : [...this.sessions.values()].find((one) => one.name === name);
    return listed?.key ?? sessionKey(request);
  }

  #createTransient(key: string, request: SessionRequest): KernelSession {
    const session = new KernelSession(key, request);
    this.#transient.add(session);
    return session;
  }

  #create(key: string, request: SessionRequest): KernelSession | undefined {
    while (this.sessions.size >= request.settings.maxSessions) {
      const idle = [...this.sessions.values()].filter((session) => !session.busy);
      const oldest = idle.sort((left, right) => right.idleFor - left.idleFor)[0];
      if (oldest === undefined) return undefined;
      this.#endWith(oldest, "it was ended to make room for another session (maxSessions)", true);
    }
    const session = new KernelSession(key, request);
    session.lost = this.#endings.get(key);
    this.#endings.delete(key);
    this.sessions.set(key, session);
    return session;
  }

  /** Ends sessions that were idle too long, and dead ones; a kernel that only the connection to is lost may be there again. */
  #cleanUp(): void {
    for (const session of this.sessions.values()) {
      if (session.busy) continue;
      const death = session.kernel?.dead;
      const limit = session.request.settings.idleTimeout;
      if (death !== undefined && !death.disconnected) this.#endWith(session, describeDeath(death));
      else if (session.idleFor > limit * 1000) {
        this.#endWith(session, `it was ended after ${limit} seconds without a call`);
      }
    }
  }

  #endWith(session: KernelSession, reason: string, replaced = false): void {
    this.#endings.set(session.key, reason);
    const oldest = this.#endings.keys().next();
    if (this.#endings.size > MOST_ENDINGS && !oldest.done) this.#endings.delete(oldest.value);
    this.track(this.end(session, replaced));
  }

  #beat(): void {
    for (const { kernel } of [...this.sessions.values(), ...this.#transient]) {
      if (kernel === undefined) continue;
      if (kernel.disconnectedFor > this.#timing.reconnection) kernel.loseConnection();
      else this.track(kernel.isAlive());
    }
  }

  #names(): string[] {
    return [...this.sessions.values()].map(({ name }) => name);
  }
}

/** A named session is the same from every folder. */
function sessionKey({ name, notebook, cwd }: SessionRequest): string {
  if (name !== undefined) return `name:${name}`;
  return notebook === undefined ? `cwd:${cwd}` : `notebook:${notebook}`;
}
