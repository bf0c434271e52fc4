import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { invalidInput, orCannotWrite } from "../errors.ts";
import type { BrokenKernelSpec } from "../kernel/find-kernelspecs.ts";
import type { KernelSpec } from "../kernel/model.ts";
import { EXIT, type Invocation } from "./command.ts";
import { writeJson, writeOut } from "./standard-output.ts";

/** The kernels of this host as a front end would list them, and the files that could not be read. */
export interface KernelListing {
  default: string;
  specs: KernelSpec[];
  broken: BrokenKernelSpec[];
}

/** `nuthatch kernelspec list|install`: the kernels found; registers the bundled kernel for other Jupyter front ends. */
export async function runKernelspec(invocation: Invocation): Promise<number> {
  const [action = "list"] = invocation.positionals;
  if (action === "list") return await listKernels(invocation);
  if (action === "install") return await installKernel(invocation);
  throw invalidInput(`unknown action "${action}" of kernelspec`, "action", "the actions are list and install");
}

/** Finds the kernels for the caller's folder, environment and `python` setting. Throws `cwd_not_found`. */
export async function findKernels({ cwd, environment, directories, settings }: Invocation): Promise<KernelListing> {
  const [{ listKernelSpecs }, { requireFolder }, { filterEnvironment }] = await Promise.all([
    import("../kernel/resolve-kernel.ts"),
    import("../kernel/require-folder.ts"),
    import("../python/filter-environment.ts"),
  ]);
  requireFolder(cwd);
  const { env } = filterEnvironment(environment, settings.environment);
  return await listKernelSpecs({ cwd, env }, { directories, settings });
}

async function listKernels(invocation: Invocation): Promise<number> {
  const listing = await findKernels(invocation);
  if (invocation.json) writeJson(listing);
  else writeOut(kernelLines(listing).join(""));
  return EXIT.done;
}

/** One line a kernel, the default one with a star. */
export function kernelLines(listing: KernelListing): string[] {
  const width = Math.max(0, ...listing.specs.map((spec) => spec.name.length));
  const lines = listing.specs.map((spec) => {
    const mark = spec.name === listing.default ? "*" : " ";
    const where = spec.resourceDir === "" ? "" : `  ${spec.resourceDir}`;
    return `${mark} ${spec.name.padEnd(width)}  ${spec.displayName} (${spec.language})${where}\n`;
  });
  return [...lines, ...listing.broken.map(({ path, reason }) => `! ${path}: ${reason}\n`)];
}

async function installKernel(invocation: Invocation): Promise<number> {
  const { installBundledKernel } = await import("../python/install-kernel.ts");
  const { environment, values, cwd } = invocation;
  const user = environment.JUPYTER_DATA_DIR ?? userDataFolder(environment);
  const data = values.prefix === undefined ? user : join(resolve(cwd, values.prefix), "share", "jupyter");
  const folder = join(data, "kernels", "nuthatch");
  const replaced = existsSync(folder);
  orCannotWrite(folder, "--prefix <dir> names an environment's folder that you may write", () =>
    installBundledKernel(folder),
  );
  if (invocation.json) writeJson({ installed: folder, replaced });
  else writeOut(`installed the kernel "nuthatch" in ${folder}\n`);
  return EXIT.done;
}

/** Where Jupyter looks for this user's data (jupyter_core, "Data files"). */
function userDataFolder(environment: Invocation["environment"]): string {
  const home = environment.HOME || homedir();
  if (process.platform === "darwin") return join(home, "Library", "Jupyter");
  return join(environment.XDG_DATA_HOME || join(home, ".local", "share"), "jupyter");
}
