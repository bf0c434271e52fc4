// What runs code, composed when it is first asked for: kernels of this host and the gateway over them, and one executor for
// each gateway that calls name. The App owns it; `dispose` ends executors first, then the gateway, then the kernels.

import { join } from "node:path";
import type { AppOptions } from "./app.ts";
import type { Executor } from "./execute/executor.ts";
import type { GatewaySettings } from "./execute/gateway-settings.ts";
import type { SessionLedger } from "./execute/session-ledger.ts";
import type { Gateway } from "./gateway/gateway.ts";
import type { GatewayServer, Listening } from "./gateway/gateway-server.ts";
import { ensureUsableDirectories } from "./paths.ts";
import type { PluginHost } from "./plugin/plugin-host.ts";
import type { Settings } from "./settings.ts";

/** The gateway of this process, and what it stands on. */
interface OwnGateway extends AsyncDisposable {
  gateway: Gateway;
}

export class Runtime {
  private readonly starting = new Map<string, Promise<Executor>>();
  private readonly started = new Set<Executor>();
  private readonly servers = new Set<GatewayServer>();
  private own: Promise<OwnGateway> | undefined;
  private ledger: SessionLedger | undefined;

  constructor(
    private readonly options: AppOptions,
    private readonly plugins: PluginHost,
  ) {}

  /** Those that are there by now. */
  get executors(): Executor[] {
    return [...this.started];
  }

  /** The executor on the gateway that the settings name. One that could not be reached is tried anew by the next call. */
  executorFor(settings: Settings): Promise<Executor> {
    const key = this.isOwn(settings.gateway) ? "" : JSON.stringify([settings.gateway, settings.gatewayToken]);
    const known = this.starting.get(key);
    if (known !== undefined) return known;
    const executor = this.startExecutor(settings);
    this.starting.set(key, executor);
    executor.catch(() => this.starting.delete(key));
    return executor;
  }

  /** The executor that has the session, else the one that the settings name. */
  async executorOf(session: string, settings: Settings): Promise<Executor> {
    const has = (executor: Executor) => executor.listSessions().some(({ name }) => name === session);
    return this.executors.find(has) ?? (await this.executorFor(settings));
  }

  async serveGateway(listening: Listening): Promise<GatewayServer> {
    const [{ gateway }, { serveGateway }] = await Promise.all([
      this.ownGateway(),
      import("./gateway/gateway-server.ts"),
    ]);
    const server = serveGateway(gateway, listening);
    this.servers.add(server);
    return server;
  }

  /** Another process takes the place of this one, and tells the callers of its sessions that they ended. */
  leaveSessions(): void {
    this.ledger?.leave();
  }

  async dispose(): Promise<void> {
    await Promise.allSettled([...this.servers].map((server) => server.stop()));
    const executors = await Promise.allSettled(this.starting.values());
    await Promise.allSettled(executors.map((one) => one.status === "fulfilled" && one.value.dispose()));
    const own = await this.own?.catch(() => undefined);
    await own?.[Symbol.asyncDispose]();
  }

  private async startExecutor(settings: Settings): Promise<Executor> {
    const [{ createExecutor }, { SessionLedger }, gateway] = await Promise.all([
      import("./execute/executor.ts"),
      import("./execute/session-ledger.ts"),
      this.findGateway(settings),
    ]);
    const { artifactMaxAge: maxAge, artifactMaxBytes: maxBytes } = this.options.settings;
    const directories = ensureUsableDirectories(this.options.directories);
    if (this.options.outlivesClients) this.ledger ??= new SessionLedger(join(directories.runtime, "sessions.log"));
    const executor = createExecutor({
      gateway,
      directories,
      ...(this.ledger ? { ledger: this.ledger } : {}),
      artifactLimits: { maxAge, maxBytes },
      plugins: (request) => this.plugins.forCall(request),
      modules: (cwd) => this.plugins.findModules(cwd),
    });
    this.started.add(executor);
    return executor;
  }

  private async findGateway({ gateway, gatewayToken }: Settings): Promise<GatewaySettings> {
    if (this.isOwn(gateway)) return { ...(await this.ownGateway()).gateway.serverSettings, local: true };
    const { findSharedGateway } = this.options;
    if (gateway === "shared" && findSharedGateway !== undefined) {
      const { sharedGateway } = await import("./execute/shared-gateway.ts");
      return sharedGateway(await findSharedGateway(), findSharedGateway);
    }
    const { connectGateway } = await import("./execute/remote-gateway.ts");
    return await connectGateway({ url: gateway, token: gatewayToken });
  }

  /** In the daemon the shared gateway is its own. */
  private isOwn(gateway: string): boolean {
    return gateway === "embedded" || (gateway === "shared" && this.options.findSharedGateway === undefined);
  }

  private ownGateway(): Promise<OwnGateway> {
    this.own ??= startGateway(this.options);
    this.own.catch(() => {
      this.own = undefined;
    });
    return this.own;
  }
}

/** Open files that this process keeps for clients that call and for what it writes, however many kernels are asked for. */
const RESERVED_FILES = 8;

/** Loads and composes the gateway of this process over the kernels of this host. */
async function startGateway({ settings, ...options }: AppOptions): Promise<OwnGateway> {
  const directories = ensureUsableDirectories(options.directories);
  const [{ createKernelProvider }, { createGateway }, { filterEnvironment }, prelude] = await Promise.all([
    import("./kernel/kernel-provider.ts"),
    import("./gateway/gateway.ts"),
    import("./python/filter-environment.ts"),
    import("./python/prelude.ts"),
  ]);
  const host = { cwd: process.cwd(), env: filterEnvironment(process.env, settings.environment).env };
  // A process that ends with its one call would start a spare for nobody.
  const count = options.outlivesClients ? settings.warmKernels : 0;
  const warmUp = () => prelude.preludeWarmUp(prelude.deliverPrelude(directories.runtime));
  const spares = { count, idleTimeout: settings.idleTimeout * 1000, warmUp };
  const kernels = createKernelProvider({ directories, settings, spares, reservedFiles: RESERVED_FILES, ...host });
  const gateway = createGateway({ kernels, ...host, spillFolder: join(directories.state, "spill") });
  return {
    gateway,
    async [Symbol.asyncDispose]() {
      await gateway.dispose();
      await kernels[Symbol.asyncDispose]();
    },
  };
}
