/** A timer that is set to more runs out at once; milliseconds, 24 days. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** A time limit whose `signal` aborts when it is over; without `seconds` it never does. Who starts it stops it. */
export class Timeout {
  readonly #expired = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(readonly seconds: number | undefined) {}

  get signal(): AbortSignal {
    return this.#expired.signal;
  }

  /** Whether it was this limit, and no other cause before it, that aborted a signal made of several. */
  ended(signal: AbortSignal): boolean {
    return this.signal.aborted && signal.reason === this.signal.reason;
  }

  start(): void {
    const milliseconds = (this.seconds ?? Number.POSITIVE_INFINITY) * 1000;
    if (milliseconds > LONGEST_TIMER) return;
    this.#timer = setTimeout(() => this.#expired.abort(), milliseconds);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
