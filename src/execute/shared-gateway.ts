import { errorCode } from "../errors.ts";
import type { GatewaySettings } from "./gateway-settings.ts";

/** A name that no resolver answers: requests go to the socket, whatever stands here. */
const HOST = "shared.invalid";

/** What a connection fails with where nobody listens. */
const NOBODY = new Set(["ENOENT", "ECONNREFUSED"]);

/**
 * The settings for a gateway of this user that listens on a Unix socket, such as the daemon's. `find` gives the socket anew once
 * nobody listens there any more: a daemon ends when it is not needed.
 */
export function sharedGateway(socketPath: string, find?: () => Promise<string>): GatewaySettings {
  const baseUrl = `http://${HOST}/`;
  const request: GatewaySettings["fetch"] = (input, init) => fetch(input, { ...init, unix: socketPath });
  return {
    baseUrl,
    wsUrl: `ws://${HOST}/`,
    fetch: request,
    async wake(signal) {
      try {
        await (await request(`${baseUrl}api`, { signal })).text();
      } catch (error) {
        if (find !== undefined && isNobody(error)) socketPath = await find();
      }
    },
    hasEnded: isNobody,
    WebSocket: class extends WebSocket {
      constructor(url: string, protocols?: string[]) {
        const { pathname, search } = new URL(url);
        super(`ws+unix://${socketPath}:${pathname}${search}`, protocols);
      }
    },
    local: true,
  };
}

function isNobody(error: unknown): boolean {
  return NOBODY.has(errorCode(error) ?? "");
}
