// off <-> watching, as its kernel is idle or busy; an idle kernel is never woken. The kernel that owns it switches it.

/**
 * Finds out whether a busy kernel still answers its heartbeat. Some kernels (R) never do while they are busy, so that silence
 * means something only once a busy kernel has answered.
 */
export class HangWatch {
  readonly #beat: (timeout: number) => Promise<boolean>;
  readonly #interval: number;
  #timer: Timer | undefined;
  #responding = true;
  #answersWhileBusy = false;

  /** `interval` in milliseconds is the time between beats and the longest that an answer may take. */
  constructor(interval: number, beat: (timeout: number) => Promise<boolean>) {
    this.#interval = interval;
    this.#beat = beat;
  }

  /** False while the heartbeat stays unanswered: a stopped process or a long call into C. It is no proof of death. */
  get responding(): boolean {
    return this.#responding;
  }

  /** Watches while the kernel is busy. */
  watch(busy: boolean): void {
    if (busy) this.#timer ??= this.#next();
    else {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#responding = true;
    }
  }

  #next(): Timer {
    const timer = setTimeout(async () => {
      const answered = await this.#beat(this.#interval);
      if (this.#timer !== timer) return;
      this.#answersWhileBusy ||= answered;
      this.#responding = answered || !this.#answersWhileBusy;
      this.#timer = this.#next();
    }, this.#interval);
    return timer;
  }
}
