import { errorCode, errorMessage, NuthatchError } from "../errors.ts";
import { VERSION } from "../version.ts";
import { deleteKernel, getKernel, interruptKernel, listKernels, restartKernel, startKernel } from "./kernel-routes.ts";
import { findKernelSpecs, getKernelSpec, listKernelSpecs, readResource } from "./kernelspec-routes.ts";
import type { Call, Handler, RouteContext } from "./route.ts";
import { changeSession, createSession, deleteSession, getSession, listSessions } from "./session-routes.ts";

/** The REST API of Jupyter Server as far as kernels go; paths are relative to the base path. */
const ROUTES: [method: string, path: RegExp, handler: Handler][] = [
  ["GET", /^api$/, () => Response.json({ version: VERSION })],
  ["GET", /^api\/status$/, getStatus],
  ["GET", /^api\/kernelspecs$/, listKernelSpecs],
  ["POST", /^api\/kernelspecs$/, findKernelSpecs],
  ["GET", /^api\/kernelspecs\/([^/]+)$/, getKernelSpec],
  ["GET", /^kernelspecs\/([^/]+)\/([^/]+)$/, readResource],
  ["GET", /^api\/kernels$/, listKernels],
  ["POST", /^api\/kernels$/, startKernel],
  ["GET", /^api\/kernels\/([^/]+)$/, getKernel],
  ["DELETE", /^api\/kernels\/([^/]+)$/, deleteKernel],
  ["POST", /^api\/kernels\/([^/]+)\/interrupt$/, interruptKernel],
  ["POST", /^api\/kernels\/([^/]+)\/restart$/, restartKernel],
  ["GET", /^api\/sessions$/, listSessions],
  ["POST", /^api\/sessions$/, createSession],
  ["GET", /^api\/sessions\/([^/]+)$/, getSession],
  ["PATCH", /^api\/sessions\/([^/]+)$/, changeSession],
  ["DELETE", /^api\/sessions\/([^/]+)$/, deleteSession],
];

/** Answers one REST request; a failure is `{message, code, hint}` with the status that fits, never an exception. */
export async function answerRequest(
  context: RouteContext,
  request: Request,
  path: string,
  basePath: string,
): Promise<Response> {
  try {
    const matching = ROUTES.filter(([, pattern]) => pattern.test(path));
    const route = matching.find(([method]) => method === request.method);
    if (route === undefined) return refuse(matching.length > 0 ? 405 : 404);
    const [, pattern, handler] = route;
    const parameters = (pattern.exec(path) ?? []).slice(1).map(decodeURIComponent);
    return await handler({ context, request, parameters, basePath });
  } catch (error) {
    return failure(error);
  }
}

function refuse(status: 404 | 405): Response {
  return Response.json({ message: status === 405 ? "Method Not Allowed" : "Not Found", reason: null }, { status });
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
