import type * as services from "@jupyterlab/services";

/** The parts of `@jupyterlab/services` that a kernel needs. */
export interface Services {
  KernelConnection: typeof services.KernelConnection;
  KernelMessage: typeof services.KernelMessage;
  ServerConnection: typeof services.ServerConnection;
}

let loading: Promise<Services> | undefined;

/** Loads the client library (27 ms) when the first kernel starts. */
export function loadServices(): Promise<Services> {
  loading ??= load();
  return loading;
}

async function load(): Promise<Services> {
  const { KernelConnection, KernelMessage, ServerConnection } = await import("@jupyterlab/services");
  hideConfiguration(() => ServerConnection.makeSettings());
  return { KernelConnection: quiet(KernelConnection), KernelMessage, ServerConnection };
}

/** When it is first asked for an option the library runs the file that `JUPYTER_CONFIG_DATA` names. */
function hideConfiguration(firstAsk: () => unknown): void {
  const configuration = process.env.JUPYTER_CONFIG_DATA;
  delete process.env.JUPYTER_CONFIG_DATA;
  firstAsk();
  if (configuration !== undefined) process.env.JUPYTER_CONFIG_DATA = configuration;
}

/**
 * The library asks and reconnects on its own behalf too, and nobody takes the rejections of that when a connection is
 * disposed meanwhile; an unhandled one would end the process.
 */
function quiet(Connection: typeof services.KernelConnection): typeof services.KernelConnection {
  return class extends Connection {
    override async requestKernelInfo() {
      return await super.requestKernelInfo().catch(() => undefined);
    }

    override async reconnect() {
      if (!this.isDisposed) await super.reconnect().catch(() => {});
    }
  };
}
