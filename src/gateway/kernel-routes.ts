import { kernelStart } from "./kernel-start.ts";
import type { Call } from "./route.ts";
import { readBody } from "./route.ts";

export function listKernels({ context }: Call): Response {
  return Response.json(context.host.list().map((kernel) => kernel.model));
}

export function getKernel({ context, parameters: [id = ""] }: Call): Response {
  return Response.json(context.host.get(id).model);
}

export async function startKernel({ context, request, basePath }: Call): Promise<Response> {
  const body = await readBody(request);
  const kernel = await context.host.start(kernelStart(context.kernelDefaults, body, request.signal));
  const location = `${basePath}api/kernels/${encodeURIComponent(kernel.id)}`;
  return Response.json(kernel.model, { status: 201, headers: { Location: location } });
}

export async function deleteKernel({ context, parameters: [id = ""] }: Call): Promise<Response> {
  await context.host.remove(id);
  return new Response(null, { status: 204 });
}

export async function interruptKernel({ context, parameters: [id = ""] }: Call): Promise<Response> {
  await context.host.get(id).interrupt();
  return new Response(null, { status: 204 });
}

export async function restartKernel({ context, parameters: [id = ""] }: Call): Promise<Response> {
  const kernel = context.host.get(id);
  await kernel.restart();
  return Response.json(kernel.model);
}
