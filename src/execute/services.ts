import type * as services from "@jupyterlab/services";

/** The parts of `@jupyterlab/services` that a kernel needs, loaded when the first kernel starts (27 ms). */
export interface Services {
  KernelConnection: typeof services.KernelConnection;
  KernelMessage: typeof services.KernelMessage;
  ServerConnection: typeof services.ServerConnection;
}

/** Loads the client library. It would run the file that `JUPYTER_CONFIG_DATA` names when it first asks for an option. */
export async function loadServices(): Promise<Services> {
  const { KernelConnection, KernelMessage, ServerConnection } = await import("@jupyterlab/services");
  const configuration = process.env.JUPYTER_CONFIG_DATA;
  delete process.env.JUPYTER_CONFIG_DATA;
  ServerConnection.makeSettings();
  if (configuration !== undefined) process.env.JUPYTER_CONFIG_DATA = configuration;
  return { KernelConnection, KernelMessage, ServerConnection };
}
