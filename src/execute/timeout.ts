/** A time limit whose `signal` aborts when it is over; without `seconds` it never does. Who starts it stops it. */
export class Timeout {
  readonly #expired = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(readonly seconds: number | undefined) {}

  get signal(): AbortSignal {
    return this.#expired.signal;
  }

  start(): void {
    if (this.seconds === undefined) return;
    this.#timer = setTimeout(() => this.#expired.abort(), this.seconds * 1000);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
