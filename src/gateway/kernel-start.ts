import { dirname, isAbsolute, resolve } from "node:path";
import type { KernelStart } from "../kernel/model.ts";
import { isFolder } from "../paths.ts";
import { isRecord } from "./route.ts";

/**
 * What a request for a kernel asks for. `environment` is the whole environment and `path` an absolute folder where a client
 * on this host gives them; `env` adds to it, and its KERNEL_WORKING_DIR is the folder, as Jupyter's Kernel Gateway has it. A
 * relative path is a document's. `prepare` is code for a process that is ready already.
 */
export function kernelStart(
  defaults: { cwd: string; env: Record<string, string> },
  body: Record<string, unknown>,
  signal: AbortSignal,
): KernelStart {
  const { name, path, environment, env, python, prepare } = body;
  const added = isStringRecord(env) ? env : {};
  return {
    kernel: typeof name === "string" && name !== "" ? name : "auto",
    cwd: findFolder(defaults.cwd, added.KERNEL_WORKING_DIR ?? path),
    env: { ...(isStringRecord(environment) ? environment : defaults.env), ...added },
    ...(typeof python === "string" || python === null ? { python } : {}),
    ...(typeof prepare === "string" ? { prepare } : {}),
    signal,
  };
}

/** The folder itself or, of a document, the one that it lies in; the root where neither is there. */
function findFolder(root: string, path: unknown): string {
  if (typeof path !== "string" || path === "") return root;
  const wanted = resolve(root, path);
  if (isAbsolute(path)) return wanted;
  return [wanted, dirname(wanted)].find(isFolder) ?? root;
}

function isStringRecord(value: unknown): value is Record<string, string> {
  return isRecord(value) && Object.values(value).every((entry) => typeof entry === "string");
}
