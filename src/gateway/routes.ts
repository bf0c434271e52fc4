import { errorCode, errorMessage, NuthatchError } from "../errors.ts";
import type { KernelStart } from "../kernel/model.ts";
import { VERSION } from "../version.ts";
import { invalidBody } from "./errors.ts";
import type { KernelHost } from "./kernel-host.ts";
import { describeKernelSpecs } from "./kernel-specs.ts";
import type { SessionTable } from "./session-table.ts";

/** What the routes work on. `kernelDefaults` completes a start request that does not say where and with what it runs. */
export interface RouteContext {
  host: KernelHost;
  sessions: SessionTable;
  startedAt: Date;
  kernelDefaults: { cwd: string; env: Record<string, string> };
}

interface Call {
  context: RouteContext;
  request: Request;
  /** The path's parameters, decoded. */
  parameters: string[];
}

type Handler = (call: Call) => Promise<Response> | Response;

/** The REST API of Jupyter Server as far as kernels go; paths are relative to the base path. */
const ROUTES: [method: string, path: RegExp, handler: Handler][] = [
  ["GET", /^api$/, () => Response.json({ version: VERSION })],
  ["GET", /^api\/status$/, getStatus],
  ["GET", /^api\/kernelspecs$/, async ({ context }) => Response.json(await describeKernelSpecs(context.host))],
  ["GET", /^api\/kernels$/, ({ context }) => Response.json(context.host.list().map((kernel) => kernel.model))],
  ["POST", /^api\/kernels$/, startKernel],
  ["GET", /^api\/kernels\/([^/]+)$/, ({ context, parameters: [id = ""] }) => Response.json(context.host.get(id).model)],
  ["DELETE", /^api\/kernels\/([^/]+)$/, deleteKernel],
  ["POST", /^api\/kernels\/([^/]+)\/interrupt$/, interruptKernel],
  ["POST", /^api\/kernels\/([^/]+)\/restart$/, restartKernel],
  ["GET", /^api\/sessions$/, ({ context }) => Response.json(context.sessions.list())],
  ["POST", /^api\/sessions$/, createSession],
  ["GET", /^api\/sessions\/([^/]+)$/, ({ context, parameters: [id = ""] }) => Response.json(context.sessions.get(id))],
  ["PATCH", /^api\/sessions\/([^/]+)$/, changeSession],
  ["DELETE", /^api\/sessions\/([^/]+)$/, deleteSession],
];

/** Answers one REST request; a failure is `{message, code, hint}` with the status that fits, never an exception. */
export async function answerRequest(context: RouteContext, request: Request, path: string): Promise<Response> {
  try {
    const matching = ROUTES.filter(([, pattern]) => pattern.test(path));
    const route = matching.find(([method]) => method === request.method);
    if (route === undefined) {
      const status = matching.length > 0 ? 405 : 404;
      return Response.json({ message: status === 405 ? "Method Not Allowed" : "Not Found", reason: null }, { status });
    }
    const [, pattern, handler] = route;
    const parameters = (pattern.exec(path) ?? []).slice(1).map(decodeURIComponent);
    return await handler({ context, request, parameters });
  } catch (error) {
    return failure(error);
  }
}

/**
 * What Nuthatch knows the reason of is the request's fault (4xx), so a client does not repeat it; the rest is a 500, and
 * a client tries that once more.
 */
function failure(error: unknown): Response {
  const known = error instanceof NuthatchError ? error : undefined;
  const status = typeof known?.data?.status === "number" ? known.data.status : known ? 400 : 500;
  const body = { message: errorMessage(error), reason: null, code: errorCode(error), hint: known?.hint };
  return Response.json({ ...body, data: known?.data }, { status });
}

function getStatus({ context }: Call): Response {
  const kernels = context.host.list();
  const activity = kernels.map((kernel) => kernel.model.last_activity).sort();
  return Response.json({
    started: context.startedAt.toISOString(),
    last_activity: activity.at(-1) ?? context.startedAt.toISOString(),
    kernels: kernels.length,
    connections: kernels.reduce((sum, kernel) => sum + kernel.model.connections, 0),
  });
}

async function startKernel({ context, request }: Call): Promise<Response> {
  const body = await readObject(request);
  const kernel = await context.host.start(kernelStart(context, body, request.signal));
  const location = `/api/kernels/${encodeURIComponent(kernel.id)}`;
  return Response.json(kernel.model, { status: 201, headers: { Location: location } });
}

/** `path` is the working directory, `env` the whole environment and `python` the interpreter, where a client gives them. */
function kernelStart(context: RouteContext, body: Record<string, unknown>, signal: AbortSignal): KernelStart {
  const { name, path, env, python } = body;
  return {
    kernel: typeof name === "string" && name !== "" ? name : "auto",
    cwd: typeof path === "string" && path.startsWith("/") ? path : context.kernelDefaults.cwd,
    env: isStringRecord(env) ? env : context.kernelDefaults.env,
    ...(typeof python === "string" ? { python } : {}),
    signal,
  };
}

async function deleteKernel({ context, parameters: [id = ""] }: Call): Promise<Response> {
  await context.host.remove(id);
  return new Response(null, { status: 204 });
}

async function interruptKernel({ context, parameters: [id = ""] }: Call): Promise<Response> {
  await context.host.get(id).interrupt();
  return new Response(null, { status: 204 });
}

async function restartKernel({ context, parameters: [id = ""] }: Call): Promise<Response> {
  const kernel = context.host.get(id);
  await kernel.restart();
  return Response.json(kernel.model);
}

async function createSession({ context, request }: Call): Promise<Response> {
  const body = await readObject(request);
  const wanted = isRecord(body.kernel) ? body.kernel : {};
  const kernel =
    typeof wanted.id === "string" && wanted.id !== ""
      ? context.host.get(wanted.id)
      : await context.host.start(kernelStart(context, { name: wanted.name, env: body.env }, request.signal));
  return Response.json(context.sessions.create(body, kernel), { status: 201 });
}

async function changeSession({ context, request, parameters: [id = ""] }: Call): Promise<Response> {
  const body = await readObject(request);
  const wanted = isRecord(body.kernel) ? body.kernel : {};
  const before = context.sessions.get(id);
  if (typeof wanted.id === "string")
    return Response.json(context.sessions.change(id, body, context.host.get(wanted.id)));
  if (typeof wanted.name !== "string") return Response.json(context.sessions.change(id, body));
  const kernel = await context.host.start(kernelStart(context, { name: wanted.name }, request.signal));
  const changed = context.sessions.change(id, body, kernel);
  await context.host.remove(before.kernel.id);
  return Response.json(changed);
}

async function deleteSession({ context, parameters: [id = ""] }: Call): Promise<Response> {
  const { kernel } = context.sessions.get(id);
  context.sessions.remove(id);
  await context.host.remove(kernel.id);
  return new Response(null, { status: 204 });
}

async function readObject(request: Request): Promise<Record<string, unknown>> {
  const text = await request.text();
  if (text.trim() === "") return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw invalidBody(`The request body is not JSON: ${errorMessage(error)}`);
  }
  if (!isRecord(value)) throw invalidBody("The request body is not a JSON object");
  return value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isStringRecord(value: unknown): value is Record<string, string> {
  return isRecord(value) && Object.values(value).every((entry) => typeof entry === "string");
}
