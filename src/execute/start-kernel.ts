import { errorCode, errorMessage } from "../errors.ts";
import { countOpenFiles } from "../open-files.ts";
import { filterEnvironment } from "../python/filter-environment.ts";
import { tooManyOpenFiles } from "./errors.ts";
import type { GatewayClient } from "./gateway-client.ts";
import type { KernelPlace, KernelRequest } from "./gateway-settings.ts";
import { initCode, prepareCode, runInitStep, type SessionPlace } from "./init-step.ts";
import type { KernelSession, SessionRequest } from "./kernel-session.ts";
import type { Prelude } from "./prelude.ts";
import { PythonKernel } from "./python-kernel.ts";
import type { SessionRecords } from "./session-record.ts";

/** What a start needs beside the request. `release` gives back all files that the executor and its gateway can spare. */
export interface KernelStarter {
  client: GatewayClient;
  records: SessionRecords;
  /** What is loaded into a session's kernel before its first cell. */
  prelude(request: SessionRequest): Prelude | undefined;
  release(): Promise<void>;
  /** Hears of a session's first kernel; what it returns is called when the session has ended. */
  started?(session: KernelSession): () => unknown;
}

/**
 * Starts a kernel for a session and prepares it. A gateway that fails with HTTP 5xx is asked once more; so is one that ran out
 * of files, after everything that can be spared was given back.
 */
export async function startKernel(
  starter: KernelStarter,
  request: SessionRequest,
  signal: AbortSignal,
): Promise<PythonKernel> {
  try {
    return await startPrepared(starter, request, signal);
  } catch (error) {
    signal.throwIfAborted();
    const full = isOutOfFiles(error);
    if (!full && errorCode(error) !== "gateway_create_failed") throw error;
    if (full) await starter.release();
    try {
      return await startPrepared(starter, request, signal);
    } catch (second) {
      throw isOutOfFiles(second) ? tooManyOpenFiles(countOpenFiles(), second) : second;
    }
  }
}

/** What brings a kernel to where its session is. What the user's modules say of themselves has to be waited for. */
interface Preparation {
  place: SessionPlace;
  prelude: Prelude | undefined;
}

/** Brings a kernel that was restarted or is new to where its session is, unless its gateway sees to that. */
export async function prepareKernel(
  starter: KernelStarter,
  kernel: PythonKernel,
  request: SessionRequest,
  signal: AbortSignal,
  { place, prelude } = preparationFor(starter, request),
): Promise<void> {
  const broken = kernel.prepared ? [] : runInitStep(kernel, initCode(place, prelude?.code()), signal);
  // While the kernel is at work.
  starter.records.begin(request, kernel.name);
  kernel.diagnostics = [...(prelude?.failed ?? []), ...(await broken)];
}

async function startPrepared(starter: KernelStarter, request: SessionRequest, signal: AbortSignal) {
  const preparation = preparationFor(starter, request);
  const kernel = await PythonKernel.start(starter.client, kernelRequest(starter, request, preparation), signal);
  try {
    await prepareKernel(starter, kernel, request, signal, preparation);
    return kernel;
  } catch (error) {
    await kernel.shutdown().catch(() => {});
    throw error;
  }
}

function preparationFor(starter: KernelStarter, request: SessionRequest): Preparation {
  const place = { cwd: request.cwd, env: starter.records.environmentFor(request) };
  return { place, prelude: starter.prelude(request) };
}

function kernelRequest(
  starter: KernelStarter,
  request: SessionRequest,
  { place, prelude }: Preparation,
): KernelRequest {
  const { settings } = request;
  const { cwd, env, python } = kernelPlace(request);
  const anyKernel = settings.kernel === "auto" && !starter.client.settings.local;
  return {
    ...(anyKernel ? {} : { name: settings.kernel }),
    ...(prelude && prelude.silentCode === undefined ? {} : { prepare: prepareCode(cwd, prelude?.silentCode?.()) }),
    cwd,
    env: { ...env, ...place.env },
    python,
  };
}

/** The folder and the environment of a call's kernel, without what its session adds. */
export function kernelPlace({
  cwd,
  environment,
  settings,
}: Pick<SessionRequest, "cwd" | "environment" | "settings">): KernelPlace {
  const { env } = filterEnvironment(environment, settings.environment);
  return { cwd, env, python: settings.python ?? null };
}

/** From the system or in a gateway's words. */
function isOutOfFiles(error: unknown): boolean {
  const code = errorCode(error);
  if (code === "EMFILE" || code === "ENFILE" || code === "too_many_open_files") return true;
  return /EMFILE|ENFILE|Too many open files/i.test(errorMessage(error));
}
