import type { GatewaySettings } from "../../src/execute/gateway-settings.ts";
import { connectGateway } from "../../src/execute/remote-gateway.ts";
import { sharedGateway } from "../../src/execute/shared-gateway.ts";
import { type GatewayServer, type Listening, serveGateway } from "../../src/gateway/gateway-server.ts";
import { HAS_ENTERPRISE, HAS_JUPYTER, startJupyter } from "./jupyter-server.ts";
import { KINDS, type LiveExecutor, type LiveOptions, liveExecutor } from "./live-executor.ts";

/** Both kernels over each way to a gateway of ours that listens. */
export const OWN_GATEWAYS = KINDS.flatMap(({ kernel, missing }) => [
  { kernel, missing, place: `${kernel} of a shared gateway`, open: openShared(kernel) },
  // As on any gateway by URL, the working directory is one of its host's: no call can tell that it is missing.
  { kernel: "auto", missing, place: `${kernel} of nuthatch serve`, open: openServed(kernel) },
]);

/** Those of others, beside the Jupyter server that is among the usual places. */
export const OTHER_GATEWAYS = [
  {
    kernel: "auto",
    missing: !HAS_JUPYTER,
    place: "python3 of a Kernel Gateway",
    open: openJupyter("kernelgateway", "KernelGatewayApp"),
  },
  {
    kernel: "auto",
    missing: !HAS_ENTERPRISE,
    place: "python3 of an Enterprise Gateway",
    open: openJupyter("enterprisegateway", "EnterpriseGatewayApp"),
  },
];

/** By the Unix socket, as with the setting `gateway: shared`. */
function openShared(kernel: string) {
  return async (options: LiveOptions = {}) => {
    const host = liveExecutor(kernel);
    const unix = `${host.home}/gateway.sock`;
    return await openOn(host, { unix }, () => sharedGateway(unix), kernel, options);
  };
}

/** By TCP with a token, as with the URL that `nuthatch serve` prints. */
function openServed(kernel: string) {
  return async (options: LiveOptions = {}) => {
    const listening = { hostname: "127.0.0.1", port: 0, token: "gate" };
    const connect = async (url: string) => await connectGateway({ url, token: "gate" });
    return await openOn(liveExecutor(kernel), listening, connect, kernel, options);
  };
}

async function openOn(
  host: LiveExecutor,
  listening: Listening,
  connect: (url: string) => GatewaySettings | Promise<GatewaySettings>,
  kernel: string,
  options: LiveOptions,
): Promise<LiveExecutor> {
  const server: GatewayServer = serveGateway(host.gateway, listening);
  const live = liveExecutor(kernel, { ...options, remote: await connect(server.url) });
  return closing(live, async () => {
    await server.stop();
    await host[Symbol.asyncDispose]();
  });
}

function openJupyter(app: "kernelgateway" | "enterprisegateway", prefix: string) {
  return async (options: LiveOptions = {}) => {
    // An Enterprise Gateway starts nothing for root, which the tests may be.
    const env = { EG_UNAUTHORIZED_USERS: "nobody" };
    const server = await startJupyter(app, [`--${prefix}.auth_token=place`], "/", env);
    const remote = await connectGateway({ url: server.url, token: "place" });
    return closing(liveExecutor("auto", { ...options, remote }), () => server[Symbol.asyncDispose]());
  };
}

/** The executor, which closes what it stands on after itself. */
function closing(live: LiveExecutor, close: () => PromiseLike<void>): LiveExecutor {
  return {
    ...live,
    async [Symbol.asyncDispose]() {
      await live[Symbol.asyncDispose]();
      await close();
    },
  };
}
