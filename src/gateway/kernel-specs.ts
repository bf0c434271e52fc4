import type { KernelHost } from "./kernel-host.ts";

/** The kernelspecs in the form of the REST API (Jupyter Server, "Kernel specs"). */
export async function describeKernelSpecs(host: KernelHost): Promise<Record<string, unknown>> {
  const { default: preferred, specs } = await host.specs();
  const described = specs.map((spec) => [
    spec.name,
    {
      name: spec.name,
      resources: {},
      spec: {
        argv: spec.argv,
        display_name: spec.displayName,
        language: spec.language,
        interrupt_mode: spec.interruptMode,
        env: spec.env,
        metadata: spec.metadata,
      },
    },
  ]);
  return { default: preferred, kernelspecs: Object.fromEntries(described) };
}
