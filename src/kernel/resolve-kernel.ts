import { join } from "node:path";
import { errorCode } from "../errors.ts";
import type { Directories } from "../paths.ts";
import { bundledKernelArgv, deliverKernel, kernelFolder } from "../python/bundled-kernel.ts";
import { findInterpreter, type Interpreter } from "../python/find-interpreter.ts";
import type { Settings } from "../settings.ts";
import { kernelspecNotFound } from "./errors.ts";
import { type BrokenKernelSpec, findKernelSpecs } from "./find-kernelspecs.ts";
import type { KernelPlace, KernelSpec, KernelStart } from "./model.ts";

/** Where and for whom a kernel is looked for. */
export interface KernelSearch {
  directories: Directories;
  settings: Pick<Settings, "python">;
}

/** A kernel to start, and the Python chosen for it; a kernel of another language may do without. */
export interface ResolvedKernel {
  spec: KernelSpec;
  interpreter: Interpreter | undefined;
}

/** The kernelspec of ipykernel, for an interpreter that has it but no file that says so. */
const IPYKERNEL: KernelSpec = {
  name: "python3",
  displayName: "Python 3 (ipykernel)",
  language: "python",
  argv: ["python", "-m", "ipykernel_launcher", "-f", "{connection_file}"],
  env: {},
  interruptMode: "signal",
  metadata: {},
  resourceDir: "",
};

/** The name under which gateways list the bundled kernel; the setting `kernel` also takes `bundled`. */
const BUNDLED = "nuthatch";

/**
 * Finds the kernel that a request means. `auto` and `python3` are ipykernel of the chosen interpreter, else the bundled kernel.
 * Throws `python_not_found` or `kernelspec_not_found`.
 */
export async function resolveKernel(request: KernelStart, search: KernelSearch): Promise<ResolvedKernel> {
  const name = request.kernel.toLowerCase();
  const { interpreter, missing } = await tryInterpreter(request, search);
  const readSpecs = () => findKernelSpecs(request.env, interpreter?.prefix).specs;
  if (["auto", "python3", "bundled", BUNDLED].includes(name)) {
    if (!interpreter) throw missing;
    const withIpykernel = interpreter.ipykernel !== null && (name === "auto" || name === "python3");
    if (withIpykernel) return { spec: readSpecs().get("python3") ?? IPYKERNEL, interpreter };
    const bundled = bundledSpec(interpreter, search);
    return { spec: name === "python3" ? { ...bundled, name } : bundled, interpreter };
  }
  const specs = readSpecs();
  const spec = specs.get(name);
  if (!spec) throw kernelspecNotFound(request.kernel, [...new Set(["python3", BUNDLED, ...specs.keys()])]);
  return { spec, interpreter };
}

/** The kernelspecs of this host and the files that could not be read: with any Python there are `python3`, the default, and the bundled kernel. */
export async function listKernelSpecs(
  where: KernelPlace,
  search: KernelSearch,
): Promise<{ default: string; specs: KernelSpec[]; broken: BrokenKernelSpec[] }> {
  const { interpreter } = await tryInterpreter(where, search);
  const { specs, broken } = findKernelSpecs(where.env, interpreter?.prefix);
  if (interpreter) {
    const bundled = bundledSpec(interpreter, search);
    const ipykernel = specs.get("python3") ?? IPYKERNEL;
    specs.set("python3", interpreter.ipykernel ? ipykernel : { ...bundled, name: "python3" });
    specs.set(BUNDLED, bundled);
  } else specs.delete("python3");
  const names = [...specs.keys()];
  return { default: specs.has("python3") ? "python3" : (names[0] ?? ""), specs: [...specs.values()], broken };
}

function bundledSpec(interpreter: Interpreter, { directories: { runtime } }: KernelSearch): KernelSpec {
  return {
    name: BUNDLED,
    displayName: "Python 3 (Nuthatch)",
    language: "python",
    argv: bundledKernelArgv(interpreter.executable, kernelFolder(runtime)),
    env: {},
    interruptMode: "signal",
    metadata: {},
    resourceDir: "",
    deliver: () => void deliverKernel(runtime),
  };
}

async function tryInterpreter(
  where: KernelPlace,
  search: KernelSearch,
): Promise<{ interpreter?: Interpreter; missing?: unknown }> {
  const setting = where.python === undefined ? search.settings.python : where.python;
  try {
    const interpreter = await findInterpreter({
      cwd: where.cwd,
      env: where.env,
      cachePath: join(search.directories.state, "interpreters.json"),
      ...(setting ? { setting } : {}),
      ...(where.signal ? { signal: where.signal } : {}),
    });
    return { interpreter };
  } catch (error) {
    if (errorCode(error) === "python_not_found") return { missing: error };
    throw error;
  }
}
