import type { GatewaySettings } from "./gateway-settings.ts";

/** A name that no resolver answers: requests go to the socket, whatever stands here. */
const HOST = "shared.invalid";

/** The settings for a gateway of this user that listens on a Unix socket, such as the daemon's. */
export function sharedGateway(socketPath: string): GatewaySettings {
  return {
    baseUrl: `http://${HOST}/`,
    wsUrl: `ws://${HOST}/`,
    fetch: (input, init) => fetch(input, { ...init, unix: socketPath }),
    WebSocket: class extends WebSocket {
      constructor(url: string, protocols?: string[]) {
        const { pathname, search } = new URL(url);
        super(`ws+unix://${socketPath}:${pathname}${search}`, protocols);
      }
    },
    local: true,
  };
}
