/** Serialises the calls on one session, in the order they came. A wait that is cancelled gives its turn away. */
export class CallQueue {
  #tail: Promise<void> = Promise.resolve();
  #length = 0;

  /** Calls that run or wait. */
  get length(): number {
    return this.#length;
  }

  /** Runs `task` when all earlier ones have ended; throws the signal's reason, and never starts it, when aborted before. */
  async run<T>(signal: AbortSignal, task: () => Promise<T>): Promise<T> {
    const before = this.#tail;
    const { promise: mine, resolve: leave } = Promise.withResolvers<void>();
    this.#tail = before.then(() => mine);
    this.#length++;
    try {
      await unlessAborted(before, signal);
      return await task();
    } finally {
      this.#length--;
      leave();
    }
  }
}

/** Waits for `what` but no longer than until the signal aborts, which throws its reason. */
export async function unlessAborted<T>(what: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([what, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
