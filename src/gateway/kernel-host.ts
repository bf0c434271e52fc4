// The kernels of one gateway by id. `dispose` ends all of them, those that are still starting included, and is idempotent.

import type { KernelProvider, KernelStart } from "../kernel/model.ts";
import { gatewayClosed, kernelNotFound } from "./errors.ts";
import { HostedKernel } from "./hosted-kernel.ts";

export class KernelHost {
  readonly #provider: KernelProvider;
  readonly #kernels = new Map<string, HostedKernel>();
  readonly #closing = new AbortController();
  readonly #starting = new Set<Promise<unknown>>();

  constructor(provider: KernelProvider) {
    this.#provider = provider;
  }

  specs(): ReturnType<KernelProvider["specs"]> {
    return this.#provider.specs();
  }

  list(): HostedKernel[] {
    return [...this.#kernels.values()];
  }

  get(id: string): HostedKernel {
    const kernel = this.#kernels.get(id);
    if (kernel === undefined) throw kernelNotFound(id);
    return kernel;
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
      const hosted = new HostedKernel(kernel);
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

  async dispose(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled([...this.#starting]);
    const kernels = this.list();
    this.#kernels.clear();
    await Promise.allSettled(kernels.map((kernel) => kernel.dispose()));
  }
}
