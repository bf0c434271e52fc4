// The provider owns its kernels, the folder of their connection files and one watchdog; disposing of it ends all of them.
import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { type Directories, ensurePrivateDirectory } from "../paths.ts";
import type { Settings } from "../settings.ts";
import { isOutOfDescriptors, providerClosed, startRefused } from "./errors.ts";
import { LocalKernel } from "./local-kernel.ts";
import type { KernelProvider, KernelStart } from "./model.ts";
import { planLaunch } from "./plan-launch.ts";
import { requireFolder } from "./require-folder.ts";
import { listKernelSpecs, resolveKernel } from "./resolve-kernel.ts";
import { SpareKernels, type SpareOptions } from "./spare-kernels.ts";
import { createWatchdog } from "./watchdog.ts";

/** What a provider is made with. `cwd` and `env` say which interpreter `specs` speaks of; a start brings its own. */
export interface KernelProviderOptions {
  directories: Directories;
  settings: Pick<Settings, "python">;
  cwd: string;
  env: Record<string, string>;
  /** Milliseconds that a kernel may take to answer; the default is {@link START_TIMEOUT}. */
  startTimeout?: number;
  /** Milliseconds between the heartbeats of a busy kernel; the default is {@link HEARTBEAT}. */
  heartbeat?: number;
  /** Kernels that are ready before they are asked for; none where it is absent. */
  spares?: SpareOptions;
  /** Open files that kernels must leave to this process; none where it is absent. */
  reservedFiles?: number;
}

/** A provider of kernels on this host. Its owner disposes of it. */
export interface LocalKernelProvider extends KernelProvider, AsyncDisposable {}

/** Large environments on a cold disk take long to import; a kernel that says nothing for this long says nothing at all. */
export const START_TIMEOUT = 60_000;

/** A cell that ends sooner is never asked about. */
export const HEARTBEAT = 5_000;

const NO_SPARES: SpareOptions = { count: 0, idleTimeout: 0 };

/** Makes the provider of this host's kernels: kernelspecs, ipykernel of the chosen Python, and the bundled kernel. */
export function createKernelProvider(options: KernelProviderOptions): LocalKernelProvider {
  const folder = join(options.directories.runtime, `k${process.pid}-${randomUUID().slice(0, 4)}`);
  const watchdog = createWatchdog(folder);
  const { startTimeout = START_TIMEOUT, heartbeat = HEARTBEAT, reservedFiles = 0 } = options;
  const plain = { folder, watchdog, startTimeout, heartbeat, reservedFiles };
  const spares = new SpareKernels(plain, options.spares ?? NO_SPARES);
  const host = { ...plain, spares };
  const kernels = new Set<LocalKernel>();
  const starts = new Set<Promise<LocalKernel>>();
  const closing = new AbortController();
  const start = async (request: KernelStart): Promise<LocalKernel> => {
    const signal = request.signal ? AbortSignal.any([request.signal, closing.signal]) : closing.signal;
    signal.throwIfAborted();
    requireFolder(request.cwd);
    const { spec, interpreter } = await resolveKernel({ ...request, signal }, options);
    const launch = planLaunch(spec, request, interpreter);
    ensurePrivateDirectory(options.directories.runtime);
    ensurePrivateDirectory(folder);
    const kernel = await LocalKernel.start(launch, host, { signal, prepare: request.prepare });
    kernels.add(kernel);
    kernel.ended.then(() => kernels.delete(kernel));
    return kernel;
  };
  /** What a spare holds may be enough where the system has no more files. */
  const startOrClear = async (request: KernelStart): Promise<LocalKernel> => {
    try {
      return await start(request);
    } catch (error) {
      if (!isOutOfDescriptors(error)) throw error;
      if (await spares.clear()) return await startOrClear(request);
      throw startRefused(request.kernel, error);
    }
  };
  return {
    specs: (place = options) => listKernelSpecs(place, options),
    async start(request) {
      const started = startOrClear(request);
      starts.add(started);
      try {
        return await started;
      } finally {
        starts.delete(started);
      }
    },
    async [Symbol.asyncDispose]() {
      closing.abort(providerClosed());
      await Promise.allSettled([...starts, spares[Symbol.asyncDispose]()]);
      await Promise.all([...kernels].map((kernel) => kernel.shutdown()));
      await watchdog.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
