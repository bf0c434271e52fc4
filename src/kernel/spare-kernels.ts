// Processes of the kind last used that are ready before somebody asks: started a moment after a start, taken by the next of
// the same kind, ended after a time without any start. They hold no user state. The provider owns them and disposes of them.

import { errorMessage } from "../errors.ts";
import { logLine } from "../log.ts";
import { kernelStartFailed } from "./errors.ts";
import {
  endsWithin,
  type Incarnation,
  type IncarnationHost,
  type Launch,
  type Starter,
  startIncarnation,
} from "./incarnation.ts";
import type { KernelMessage } from "./message.ts";
import { MovingSpare } from "./moving-spare.ts";
import { kindOf, moveCode, READY_TO_MOVE, startsAnywhere } from "./spare-launch.ts";

/** How many spares there are at most, and after how many milliseconds without a start they end. */
export interface SpareOptions {
  count: number;
  idleTimeout: number;
  /** Python code that a spare runs before it waits, so that its user's first call finds more done; it leaves no names behind. */
  warmUp?(): string;
}

interface Spare {
  launch: Launch;
  kind: string;
  incarnation: Incarnation;
  deliver: (message: KernelMessage) => void;
}

/** A spare is started when no kernel was for so long, so that it is in nobody's way. Milliseconds. */
const QUIET = 250;
/** A spare that is on its way is waited for so long. Milliseconds. */
const ARRIVAL_LIMIT = 2000;
/** A spare that takes longer to move to its user's folder and environment, and to be prepared, is not used. Milliseconds. */
const MOVE_LIMIT = 2000;
/** The process that takes its place may take longer for that. Milliseconds. */
const PREPARE_LIMIT = 30_000;
/** And one that takes longer to run what it should before it waits is none. Milliseconds. */
const WARM_UP_LIMIT = 10_000;
/** What a timer takes; with more, as of a daemon that never is idle, it would fire at once. Milliseconds. */
const LONGEST_TIMER = 2 ** 31 - 1;
/** Where spares wait: a folder that nobody removes. */
const WAITING_ROOM = "/";

export class SpareKernels implements Starter, AsyncDisposable {
  private readonly spares: Spare[] = [];
  private readonly work = new Set<Promise<unknown>>();
  private readonly closing = new AbortController();
  private filling: { kind: string; done: Promise<void> } | undefined;
  private quiet: Timer | undefined;
  private idle: Timer | undefined;

  constructor(
    private readonly host: IncarnationHost,
    private readonly options: SpareOptions,
  ) {}

  /** Starts a kernel's process as `startIncarnation` does, or takes the spare that is like it, which runs `prepare`. */
  async start(
    launch: Launch,
    onMessage: (message: KernelMessage) => void,
    { signal, prepare }: Parameters<Starter["start"]>[2] = {},
  ): Promise<Incarnation> {
    clearTimeout(this.quiet);
    const taken = await this.take(launch, onMessage, prepare);
    const incarnation = taken ?? (await startIncarnation(launch, this.host, onMessage, signal));
    this.refillSoon(launch);
    return incarnation;
  }

  /** Ends all spares, because the system is short of what they hold. False when there were none. */
  async clear(): Promise<boolean> {
    const spares = this.spares.splice(0);
    await Promise.allSettled(spares.map(({ incarnation }) => incarnation.shutdown(false)));
    return spares.length > 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.closing.abort();
    clearTimeout(this.quiet);
    clearTimeout(this.idle);
    await this.clear();
    await Promise.allSettled(this.work);
  }

  private async take(
    launch: Launch,
    onMessage: (message: KernelMessage) => void,
    prepare: string | undefined,
  ): Promise<Incarnation | undefined> {
    if (!startsAnywhere(launch)) return undefined;
    const kind = kindOf(launch);
    const like = (spare: Spare) => spare.kind === kind;
    // One that is on its way is there sooner than one that is begun now.
    if (this.filling?.kind === kind && !this.spares.some(like)) await endsWithin(this.filling.done, ARRIVAL_LIMIT);
    const spare = this.spares.find(like);
    if (spare === undefined) return undefined;
    this.forget(spare);
    spare.deliver = onMessage;
    const replace = async () => {
      // The end of this one is not the end of the kernel that is started in its place.
      spare.deliver = () => {};
      this.track(spare.incarnation.shutdown(false));
      const incarnation = await startIncarnation(launch, this.host, onMessage, this.closing.signal);
      if (prepare === undefined || (await incarnation.run(prepare, PREPARE_LIMIT))) return incarnation;
      await incarnation.shutdown(false);
      throw kernelStartFailed(launch.spec.name, "could not run what it was started with");
    };
    const moved = spare.incarnation.run(moveCode(spare.launch, launch, prepare), MOVE_LIMIT);
    return new MovingSpare(spare.incarnation, { moved, replace, prepared: prepare !== undefined });
  }

  /** Has a spare like this launch ready soon, in the place of those of other kinds. */
  private refillSoon(launch: Launch): void {
    if (this.options.count === 0 || !startsAnywhere(launch) || this.closing.signal.aborted) return;
    clearTimeout(this.quiet);
    this.quiet = setTimeout(() => this.track(this.fill({ ...launch, cwd: WAITING_ROOM })), QUIET);
    this.quiet.unref();
    this.waitForUse();
  }

  /** From a start, and from the moment that a spare is ready, there is so much time until all end. */
  private waitForUse(): void {
    clearTimeout(this.idle);
    if (this.options.idleTimeout > LONGEST_TIMER) return;
    this.idle = setTimeout(() => this.track(this.clear()), this.options.idleTimeout);
    this.idle.unref();
  }

  private async fill(launch: Launch): Promise<void> {
    const kind = kindOf(launch);
    for (const spare of this.spares.filter((other) => other.kind !== kind)) this.end(spare);
    while (this.spares.length < this.options.count && !this.closing.signal.aborted) {
      const adding = this.add(launch, kind);
      const filling = { kind, done: adding.catch(() => {}) };
      this.filling = filling;
      await adding.finally(() => {
        if (this.filling === filling) this.filling = undefined;
      });
    }
  }

  private async add(launch: Launch, kind: string): Promise<void> {
    const spare: Pick<Spare, "deliver"> = { deliver: () => {} };
    const deliver = (message: KernelMessage) => spare.deliver(message);
    const warmUp = [READY_TO_MOVE, this.options.warmUp?.() ?? ""].join("\n");
    const incarnation = await startIncarnation(launch, this.host, deliver, this.closing.signal);
    if (!(await incarnation.run(warmUp, WARM_UP_LIMIT))) {
      await incarnation.shutdown(false);
      throw new Error("it could not run what it should before it waits");
    }
    const ready = Object.assign(spare, { launch, kind, incarnation });
    this.spares.push(ready);
    this.waitForUse();
    incarnation.exited.then(() => this.forget(ready));
    if (this.closing.signal.aborted) this.end(ready);
  }

  private end(spare: Spare): void {
    this.forget(spare);
    this.track(spare.incarnation.shutdown(false));
  }

  private forget(spare: Spare): void {
    const index = this.spares.indexOf(spare);
    if (index >= 0) this.spares.splice(index, 1);
  }

  /** What goes wrong with a spare is nobody's call; it is there or it is not. */
  private track(work: Promise<unknown>): void {
    const settled = work.catch((error) => {
      if (!this.closing.signal.aborted) logLine(`no spare kernel: ${errorMessage(error)}`);
    });
    this.work.add(settled);
    settled.finally(() => this.work.delete(settled));
  }
}
