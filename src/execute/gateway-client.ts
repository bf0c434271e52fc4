import { errorMessage, NuthatchError } from "../errors.ts";
import { logLine } from "../log.ts";
import { unlessAborted } from "./call-queue.ts";
import {
  gatewayCreateFailed,
  gatewayForbade,
  gatewayRefused,
  gatewayUnauthorized,
  gatewayUnreachable,
  notAGateway,
} from "./errors.ts";
import type { GatewaySettings, KernelPlace, KernelRequest } from "./gateway-settings.ts";

/** A kernel as the gateway describes it (Jupyter Server REST API, "Kernels"). */
export interface KernelModel {
  id: string;
  name: string;
  execution_state?: string;
  /** Told by a gateway of ours; `responding` is false while a busy kernel does not answer its heartbeat. */
  pid?: number;
  responding?: boolean;
  /** What the kernelspec says. A gateway that tells it has found the kernel ready. */
  language?: string;
  /** It has the kernel run the `prepare` of the request first. */
  prepared?: boolean;
}

/** Milliseconds that an answer may take. */
const ANSWER_LIMIT_MS = 10_000;
/** Starting a kernel on a cluster can take its time, while the gateway goes on answering others. Milliseconds. */
const START_LIMIT_MS = 120_000;
/** Between two such questions. Milliseconds. */
const ASK_EVERY_MS = 5_000;

/** At the end, a kernel whose start was given up is waited for so long. Milliseconds. */
const GIVEN_UP_LIMIT_MS = 5_000;

/** The REST calls that a kernel's life needs; every failure is one clear error. */
export class GatewayClient {
  readonly settings: GatewaySettings;
  readonly #givenUp = new Set<Promise<void>>();

  constructor(settings: GatewaySettings) {
    this.settings = settings;
  }

  /** Has a gateway there that ends by itself. Throws what its start throws. */
  async wake(signal?: AbortSignal): Promise<void> {
    if (this.settings.wake === undefined) return;
    const limit = AbortSignal.timeout(ANSWER_LIMIT_MS);
    await this.settings.wake(signal === undefined ? limit : AbortSignal.any([signal, limit]));
  }

  /** Starts a kernel. `path` and the whole environment go to a gateway of this host only. */
  async startKernel(request: KernelRequest, signal: AbortSignal): Promise<KernelModel> {
    const { name, cwd, env, python, prepare } = request;
    const body = this.settings.local
      ? { name, path: cwd, environment: env, python, prepare }
      : { name, env: kernelVariables(env) };
    signal.throwIfAborted();
    // A gateway elsewhere goes on with a start that was given up, and would keep a kernel that nobody knows of.
    const starting = this.#create(body, this.settings.local ? signal : undefined);
    try {
      return await unlessAborted(starting, signal);
    } catch (error) {
      if (signal.aborted) this.#endLater(starting);
      throw error;
    }
  }

  /** The kernels that can be started, the gateway's default first; on this host those that the caller's environment has. */
  async listKernelSpecs({ cwd, env, python }: KernelPlace): Promise<{ name: string; language: string }[]> {
    const { baseUrl, local } = this.settings;
    await this.wake();
    const response = local
      ? await this.#request("POST", "api/kernelspecs", { body: { path: cwd, environment: env, python } })
      : await this.#request("GET", "api/kernelspecs", {});
    const answer = (await readJson(baseUrl, response)) as { default?: string; kernelspecs?: Record<string, unknown> };
    const specs = Object.entries(answer.kernelspecs ?? {}).map(([name, value]) => {
      const { spec } = value as { spec?: { language?: string } };
      return { name, language: spec?.language ?? "" };
    });
    return specs.sort((left, right) => Number(right.name === answer.default) - Number(left.name === answer.default));
  }

  /** The kernel's present state, or undefined when the gateway has it no more. */
  async findKernel(id: string, signal?: AbortSignal): Promise<KernelModel | undefined> {
    const response = await this.#request("GET", kernelPath(id), { signal, expected: [404] });
    if (response.status === 404) return undefined;
    return readModel(this.settings.baseUrl, await readJson(this.settings.baseUrl, response));
  }

  async interruptKernel(id: string): Promise<void> {
    await this.#request("POST", `${kernelPath(id)}/interrupt`, {});
  }

  /** Whether a call here failed with this because the gateway's process has ended, and its kernels with it. */
  hasEnded(error: unknown): boolean {
    return this.settings.hasEnded?.((error as { cause?: unknown }).cause) ?? false;
  }

  /** Gives the kernel as it is then, or undefined when the gateway has it no more; Jupyter's own server answers 500 then. */
  async restartKernel(id: string, signal?: AbortSignal): Promise<KernelModel | undefined> {
    const options = { signal, expected: [404, 500], slow: true };
    await this.wake(signal);
    const response = await this.#request("POST", `${kernelPath(id)}/restart`, options);
    if (response.ok) return readModel(this.settings.baseUrl, await readJson(this.settings.baseUrl, response));
    if (response.status === 404 || (await this.findKernel(id, signal)) === undefined) return undefined;
    throw await failure(this.settings.baseUrl, false, response);
  }

  /** Ends a kernel; one that is gone already is what was asked for. */
  async shutdownKernel(id: string): Promise<void> {
    await this.#request("DELETE", kernelPath(id), { expected: [404] });
  }

  /** Waits, but not for long, for the ends of kernels whose start was given up. */
  async dispose(): Promise<void> {
    const limit = AbortSignal.timeout(GIVEN_UP_LIMIT_MS);
    await unlessAborted(Promise.allSettled([...this.#givenUp]), limit).catch(() => {});
  }

  async #create(body: object, signal: AbortSignal | undefined): Promise<KernelModel> {
    const response = await this.#request("POST", "api/kernels", { body, signal, slow: true });
    return readModel(this.settings.baseUrl, await readJson(this.settings.baseUrl, response));
  }

  #endLater(starting: Promise<KernelModel>): void {
    const ending = starting
      .then(
        ({ id }) => this.shutdownKernel(id),
        () => {}, // Nothing was started.
      )
      .catch((error) => logLine(`a kernel whose start was given up did not end: ${errorMessage(error)}`))
      .finally(() => this.#givenUp.delete(ending));
    this.#givenUp.add(ending);
  }

  async #request(
    method: string,
    path: string,
    options: { body?: unknown; signal?: AbortSignal | undefined; expected?: number[]; slow?: boolean },
  ): Promise<Response> {
    const { baseUrl } = this.settings;
    const headers = { "Content-Type": "application/json" };
    const body = options.body === undefined ? undefined : JSON.stringify(options.body);
    using silence = options.slow ? watchSilence(this.settings) : undefined;
    const limit = AbortSignal.timeout(options.slow ? START_LIMIT_MS : ANSWER_LIMIT_MS);
    const signal = AbortSignal.any([options.signal, limit, silence?.signal].filter((one) => one !== undefined));
    let response: Response;
    try {
      signal.throwIfAborted();
      // A gateway in this process goes on with what it does when nobody waits for it any more.
      response = await unlessAborted(this.settings.fetch(baseUrl + path, { method, headers, body, signal }), signal);
    } catch (error) {
      options.signal?.throwIfAborted();
      throw gatewayUnreachable(baseUrl, error);
    }
    if (response.ok || options.expected?.includes(response.status)) return response;
    throw await failure(baseUrl, method === "POST" && path === "api/kernels", response);
  }
}

/** Aborts when the gateway does not answer the simplest question either: it is stopped, or there is no way to it. */
function watchSilence({ baseUrl, fetch }: GatewaySettings): { signal: AbortSignal } & Disposable {
  const silent = new AbortController();
  const ask = () => fetch(`${baseUrl}api`, { signal: AbortSignal.timeout(ANSWER_LIMIT_MS) });
  const timer = setInterval(() => void ask().catch((error) => silent.abort(error)), ASK_EVERY_MS);
  return { signal: silent.signal, [Symbol.dispose]: () => clearInterval(timer) };
}

function kernelPath(id: string): string {
  return `api/kernels/${encodeURIComponent(id)}`;
}

/** A remote gateway gets the variables that are meant for it (Kernel Gateway, "KERNEL_"), never the user's environment. */
function kernelVariables(env: Record<string, string>): Record<string, string> | undefined {
  const entries = Object.entries(env).filter(([name]) => name.startsWith("KERNEL_"));
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

async function failure(url: string, creating: boolean, response: Response): Promise<NuthatchError> {
  const { status } = response;
  const text = await response.text().catch(() => "");
  const answer = parseObject(text);
  const reason = String(answer.message || answer.reason || response.statusText || text.slice(0, 200));
  // The embedded gateway passes its own errors on whole.
  if (typeof answer.code === "string" && status < 500) {
    const hint = typeof answer.hint === "string" ? { hint: answer.hint } : {};
    const data = typeof answer.data === "object" && answer.data !== null ? { data: { ...answer.data } } : {};
    return new NuthatchError({ code: answer.code, message: reason, ...hint, ...data });
  }
  if (status === 403 && creating) return gatewayForbade(url, status, reason);
  if (status === 401 || status === 403) return gatewayUnauthorized(url, `HTTP ${status}`);
  if (status === 404 || status === 405) return notAGateway(url, `HTTP ${status} for api/kernels`);
  if (status >= 500 && creating) return gatewayCreateFailed(url, status, reason);
  return gatewayRefused(url, status, reason);
}

async function readJson(url: string, response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    throw notAGateway(url, "its answer is not JSON");
  }
}

function readModel(url: string, value: unknown): KernelModel {
  const model = value as Partial<KernelModel> | null;
  if (typeof model?.id === "string" && typeof model.name === "string") return model as KernelModel;
  throw notAGateway(url, "its answer does not describe a kernel");
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
