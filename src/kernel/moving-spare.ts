// A spare that was taken and is on its way to its user's folder and environment: moving -> settled. It settles as the spare
// itself or, where that did not get there, as a process of its own. Whoever took it shuts it down.

import { errorMessage } from "../errors.ts";
import type { Incarnation } from "./incarnation.ts";
import type { KernelMessage } from "./message.ts";
import type { KernelExit } from "./model.ts";

/**
 * What is sent to it while it moves follows the move at once, so that nobody waits for that alone; a process that takes its
 * place is sent all of it again.
 */
export class MovingSpare implements Incarnation {
  readonly exited: Promise<KernelExit>;
  readonly prepared: boolean;
  #present: Incarnation;
  /** What was sent while it moves. */
  #sent: KernelMessage[] | undefined = [];
  #ending = false;
  #interrupted = false;
  readonly #settled: Promise<Incarnation>;

  /** `replace` starts the process that takes its place, if `moved` says that one is needed; `prepared` holds of both. */
  constructor(
    spare: Incarnation,
    { moved, replace, prepared }: { moved: Promise<boolean>; replace: () => Promise<Incarnation>; prepared: boolean },
  ) {
    this.#present = spare;
    this.prepared = prepared;
    this.#settled = this.#settle(moved, replace);
    this.exited = this.#settled.then(
      ({ exited }) => exited,
      (error) => ({ code: null, signal: null, stderr: errorMessage(error) }),
    );
  }

  get pid(): number {
    return this.#present.pid;
  }

  get info(): KernelMessage {
    return this.#present.info;
  }

  send(message: KernelMessage): void {
    this.#sent?.push(message);
    this.#present.send(message);
  }

  async run(code: string, timeout: number): Promise<boolean> {
    return await (await this.#settled).run(code, timeout);
  }

  async beat(timeout: number): Promise<boolean> {
    return await (await this.#settled).beat(timeout);
  }

  /** The move itself is not interrupted; a cell that follows it is, once it runs. */
  interrupt(): void {
    if (this.#sent === undefined) this.#present.interrupt();
    else this.#interrupted = this.#sent.some(({ header }) => header.msg_type === "execute_request");
  }

  async shutdown(restart: boolean): Promise<void> {
    this.#ending = true;
    await this.#present.shutdown(restart);
    await this.exited;
  }

  async #settle(moved: Promise<boolean>, replace: () => Promise<Incarnation>): Promise<Incarnation> {
    if (!(await moved)) {
      if (this.#ending) return this.#present;
      this.#present = await replace();
      if (this.#ending) await this.#present.shutdown(false);
      for (const message of this.#sent ?? []) this.#present.send(message);
    }
    this.#sent = undefined;
    if (this.#interrupted) this.#present.interrupt();
    return this.#present;
  }
}
