import { readdirSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../errors.ts";
import type { KernelSpec } from "../kernel/model.ts";
import { kernelSpecNotFound } from "./errors.ts";
import type { KernelHost } from "./kernel-host.ts";
import { kernelStart } from "./kernel-start.ts";
import { type Call, readBody } from "./route.ts";

/** Files of a kernelspec's folder that front ends ask for (Jupyter Server, "Kernel specs", `resources`). */
const RESOURCE = /^(?:kernel\.(?:js|css)|logo-[\w.-]+)$/;

export async function listKernelSpecs({ context, basePath }: Call): Promise<Response> {
  return answerSpecs(await context.host.specs(), basePath);
}

/** The kernels that a client on this host would find in its own folder and environment, given as for the start of one. */
export async function findKernelSpecs({ context, request, basePath }: Call): Promise<Response> {
  const place = kernelStart(context.kernelDefaults, await readBody(request), request.signal);
  return answerSpecs(await context.host.specs(place), basePath);
}

function answerSpecs({ default: preferred, specs }: Awaited<ReturnType<KernelHost["specs"]>>, basePath: string) {
  const described = specs.map((spec) => [spec.name, describeSpec(spec, basePath)]);
  return Response.json({ default: preferred, kernelspecs: Object.fromEntries(described) });
}

export async function getKernelSpec({ context, basePath, parameters: [name = ""] }: Call): Promise<Response> {
  return Response.json(describeSpec(await findSpec(context.host, name), basePath));
}

/** A file beside a kernelspec, its logo say: one that the listing names, and no other. */
export async function readResource({ context, parameters: [name = "", file = ""] }: Call): Promise<Response> {
  const spec = await findSpec(context.host, name);
  if (!listResources(spec).includes(file))
    return Response.json({ message: "Not Found", reason: null }, { status: 404 });
  return new Response(Bun.file(join(spec.resourceDir, file)));
}

async function findSpec(host: KernelHost, name: string): Promise<KernelSpec> {
  const { specs } = await host.specs();
  const spec = specs.find((candidate) => candidate.name === name);
  if (spec === undefined) throw kernelSpecNotFound(name);
  return spec;
}

function describeSpec(spec: KernelSpec, basePath: string): object {
  const { name, argv, env, metadata } = spec;
  const resources = listResources(spec).map((file) => [
    file.replace(/^logo-([\w-]+)\.\w+$/, "logo-$1"),
    `${basePath}kernelspecs/${encodeURIComponent(name)}/${encodeURIComponent(file)}`,
  ]);
  return {
    name,
    resources: Object.fromEntries(resources),
    spec: {
      argv,
      display_name: spec.displayName,
      language: spec.language,
      interrupt_mode: spec.interruptMode,
      env,
      metadata,
    },
  };
}

function listResources({ resourceDir }: KernelSpec): string[] {
  if (resourceDir === "") return [];
  try {
    return readdirSync(resourceDir).filter((file) => RESOURCE.test(file));
  } catch (error) {
    if (errorCode(error) === "ENOENT" || errorCode(error) === "EACCES") return [];
    throw error;
  }
}
