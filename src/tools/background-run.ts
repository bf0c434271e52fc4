import { RunOutput } from "./run-output.ts";
import type { CallOptions, ToolResult } from "./tool.ts";

/** What a run does: a tool's work with a signal and updates of its own, which are not those of the call that started it. */
export type Work = (
  options: Pick<CallOptions, "signal"> & Required<Pick<CallOptions, "onUpdate">>,
) => Promise<ToolResult>;

/** What a run is, for a list. */
export interface RunOrigin {
  tool: string;
  title: string;
}

export type RunStatus = "running" | "done" | "failed" | "cancelled";

/** A tool's work that goes on after its call was answered. Running until the work settles; it is never started twice. */
export class BackgroundRun {
  readonly id = crypto.randomUUID().slice(0, 8);
  readonly startedAt = new Date();
  readonly output = new RunOutput();
  /** Settles when the work did; never rejects. */
  readonly ended: Promise<void>;
  /** The result of the work, once it has ended. */
  result: ToolResult | undefined;
  private endedAt: number | undefined;
  private readonly began = performance.now();
  private readonly abort = new AbortController();
  private readonly listeners = new Set<() => void>();

  constructor(
    readonly origin: RunOrigin,
    work: Work,
    private readonly toResult: (error: unknown) => ToolResult,
  ) {
    this.ended = this.run(work);
  }

  get status(): RunStatus {
    if (this.result === undefined) return "running";
    if (this.result.details.cancelled === true && this.abort.signal.aborted) return "cancelled";
    return this.result.isError ? "failed" : "done";
  }

  /** How long it ran, or has been running, in milliseconds. */
  get durationMs(): number {
    return (this.endedAt ?? performance.now()) - this.began;
  }

  /** How long ago it ended, in milliseconds; 0 while it runs. */
  get age(): number {
    return this.endedAt === undefined ? 0 : performance.now() - this.endedAt;
  }

  /** Asks it to stop, as the cancellation of a call does. */
  interrupt(): void {
    this.abort.abort();
  }

  /** Waits until `isEnough`, for `seconds` at most, or until `signal` is aborted. */
  async wait(isEnough: () => boolean, seconds: number, signal: AbortSignal): Promise<void> {
    if (isEnough() || seconds === 0 || signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const check = () => isEnough() && resolve();
    const stop = () => resolve();
    const timer = setTimeout(stop, seconds * 1000);
    signal.addEventListener("abort", stop);
    this.listeners.add(check);
    await promise;
    this.listeners.delete(check);
    signal.removeEventListener("abort", stop);
    clearTimeout(timer);
  }

  private async run(work: Work): Promise<void> {
    try {
      const onUpdate: CallOptions["onUpdate"] = (update) => this.add(update.content);
      this.result = await work({ signal: this.abort.signal, onUpdate });
    } catch (error) {
      this.result = this.toResult(error);
    }
    this.endedAt = performance.now();
    if (this.output.length === 0) this.add(this.result.content);
    this.wake();
  }

  private add(content: ToolResult["content"]): void {
    const text = content.map((block) => (block.type === "text" ? block.text : "")).join("");
    if (text === "") return;
    this.output.append(text);
    this.wake();
  }

  private wake(): void {
    for (const listener of this.listeners) listener();
  }
}
