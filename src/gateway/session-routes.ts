import { kernelStart } from "./kernel-start.ts";
import type { Call } from "./route.ts";
import { isRecord, readBody } from "./route.ts";

export function listSessions({ context }: Call): Response {
  return Response.json(context.sessions.list());
}

export function getSession({ context, parameters: [id = ""] }: Call): Response {
  return Response.json(context.sessions.get(id));
}

export async function createSession({ context, request }: Call): Promise<Response> {
  const body = await readBody(request);
  const { id, name } = isRecord(body.kernel) ? body.kernel : {};
  const start = { name, env: body.env, path: body.path };
  const namesKernel = typeof id === "string" && id !== "";
  const same = namesKernel ? undefined : context.sessions.findLive(body.path);
  if (same !== undefined) return Response.json(same, { status: 201 });
  const kernel = namesKernel
    ? context.host.get(id)
    : await context.host.start(kernelStart(context.kernelDefaults, start, request.signal));
  return Response.json(context.sessions.create(body, kernel), { status: 201 });
}

/** Renames, moves to another kernel (`kernel.id`), or to a new one (`kernel.name`), which ends the one before. */
export async function changeSession({ context, request, parameters: [id = ""] }: Call): Promise<Response> {
  const body = await readBody(request);
  const { id: kernelId, name } = isRecord(body.kernel) ? body.kernel : {};
  const before = context.sessions.get(id);
  if (typeof kernelId === "string") {
    return Response.json(context.sessions.change(id, body, context.host.get(kernelId)));
  }
  if (typeof name !== "string") return Response.json(context.sessions.change(id, body));
  const start = { name, path: before.path };
  const kernel = await context.host.start(kernelStart(context.kernelDefaults, start, request.signal));
  const changed = context.sessions.change(id, body, kernel);
  await context.host.remove(before.kernel.id);
  return Response.json(changed);
}

export async function deleteSession({ context, parameters: [id = ""] }: Call): Promise<Response> {
  const { kernel } = context.sessions.get(id);
  context.sessions.remove(id);
  await context.host.remove(kernel.id);
  return new Response(null, { status: 204 });
}
