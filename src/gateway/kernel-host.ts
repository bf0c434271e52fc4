// The kernels of one gateway by id. `dispose` ends all of them, those that are still starting included, and is idempotent.

import type { KernelProvider, KernelStart } from "../kernel/model.ts";
import { gatewayClosed, kernelNotFound } from "./errors.ts";
import { type Connection, HostedKernel } from "./hosted-kernel.ts";

export class KernelHost {
  readonly #provider: KernelProvider;
  readonly #spillFolder: string;
  readonly #kernels = new Map<string, HostedKernel>();
  readonly #closing = new AbortController();
  readonly #starting = new Set<Promise<unknown>>();

  /** `spillFolder` takes what waits for clients that are slow or away. */
  constructor(provider: KernelProvider, spillFolder: string) {
    this.#provider = provider;
    this.#spillFolder = spillFolder;
  }

  specs(...place: Parameters<KernelProvider["specs"]>): ReturnType<KernelProvider["specs"]> {
    return this.#provider.specs(...place);
  }

  list(): HostedKernel[] {
    return [...this.#kernels.values()];
  }

  get(id: string): HostedKernel {
    const kernel = this.#kernels.get(id);
    if (kernel === undefined) throw kernelNotFound(id);
    return kernel;
  }

  /** Joins a client to a kernel; undefined when there is no such kernel. */
  connect(id: string, sessionId: string | undefined): Connection | undefined {
    return this.#kernels.get(id)?.connect(sessionId);
  }

  async start(request: KernelStart): Promise<HostedKernel> {
    if (this.#closing.signal.aborted) throw gatewayClosed();
    const signals = request.signal ? [request.signal, this.#closing.signal] : [this.#closing.signal];
    const starting = this.#provider.start({ ...request, signal: AbortSignal.any(signals) });
    this.#starting.add(starting);
    try {
      const kernel = await starting;
      if (signals.some((signal) => signal.aborted)) {
        await kernel.shutdown();
        throw gatewayClosed();
      }
      const hosted = new HostedKernel(kernel, this.#spillFolder);
      this.#kernels.set(hosted.id, hosted);
      return hosted;
    } finally {
      this.#starting.delete(starting);
    }
  }

  async remove(id: string): Promise<void> {
    const kernel = this.get(id);
    this.#kernels.delete(id);
    await kernel.dispose();
  }

  async endAbandoned(milliseconds: number): Promise<void> {
    const abandoned = this.list().filter((kernel) => kernel.aloneFor > milliseconds);
    await Promise.allSettled(abandoned.map((kernel) => this.remove(kernel.id)));
  }

  async dispose(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled([...this.#starting]);
    const kernels = this.list();
    this.#kernels.clear();
    await Promise.allSettled(kernels.map((kernel) => kernel.dispose()));
  }
}
