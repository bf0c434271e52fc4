import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { launcher, writeKernelPackage } from "./bundled-kernel.ts";

/**
 * Registers the bundled kernel for other front ends (jupyter_client, "Kernel specs"): a folder that holds its `kernel.json` and
 * its own copy of the kernel, so that it goes on working when Nuthatch is gone. What was there before is replaced.
 */
export function installBundledKernel(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeKernelPackage(folder);
  const spec = {
    argv: ["python3", "-c", launcher("sys.argv[2]"), "{connection_file}", "{resource_dir}"],
    display_name: "Python 3 (Nuthatch)",
    language: "python",
    interrupt_mode: "signal",
    metadata: { debugger: false },
  };
  writeFileSync(join(folder, "kernel.json"), `${JSON.stringify(spec, null, 1)}\n`);
}
