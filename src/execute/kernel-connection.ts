import type { Kernel, KernelMessage, ServerConnection } from "@jupyterlab/services";
import { kernelEndedAtStart, kernelSilent } from "./errors.ts";
import type { KernelModel } from "./gateway-client.ts";
import type { GatewaySettings } from "./gateway-settings.ts";
import { readLeniently } from "./lenient-message.ts";
import type { KernelDeath } from "./model.ts";
import type { Services } from "./services.ts";

/** A kernel that answers nothing in this time after its start is given up. */
const START_LIMIT_MS = 60_000;
/** `kernel_info_request` is repeated, because a subscription that was not live yet loses the first one's `idle`. */
const ASK_AGAIN_MS = 1_000;
const USERNAME = "nuthatch";

/** Opens a kernel's channels as the client `clientId`; it connects, and connects again, by itself. */
export function openConnection(
  services: Services,
  serverSettings: ServerConnection.ISettings,
  model: KernelModel,
  clientId: string,
): Kernel.IKernelConnection {
  return new services.KernelConnection({
    model: { id: model.id, name: model.name },
    serverSettings,
    clientId,
    username: USERNAME,
    handleComms: false,
  });
}

/** Resolves when requests go out at once. */
export function channelsOpen(connection: Kernel.IKernelConnection): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const check = () => connection.connectionStatus === "connected" && resolve();
  connection.connectionStatusChanged.connect(check);
  check();
  return promise;
}

/**
 * Waits for what a kernel's start ends with: its first answer, or open channels where a gateway has vouched for it. Throws
 * `kernel_start_timeout`, `kernel_start_failed`, or the signal's reason.
 */
export async function awaitStart<T>(
  connection: Kernel.IKernelConnection,
  start: Promise<T>,
  death: Promise<KernelDeath>,
  signal: AbortSignal,
): Promise<T> {
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const cancel = () => reject(signal.reason);
  signal.addEventListener("abort", cancel, { once: true });
  const limit = setTimeout(() => reject(kernelSilent(connection.name, START_LIMIT_MS / 1000)), START_LIMIT_MS);
  const again = setInterval(() => {
    if (connection.connectionStatus === "connected") void connection.requestKernelInfo();
  }, ASK_AGAIN_MS);
  death.then(({ reason }) => reject(kernelEndedAtStart(connection.name, reason)));
  try {
    signal.throwIfAborted();
    return await Promise.race([start, stopped]);
  } finally {
    signal.removeEventListener("abort", cancel);
    clearTimeout(limit);
    clearInterval(again);
    stopped.catch(() => {});
  }
}

/** A request to run code. A silent one counts nothing, stores nothing and may not ask for input. */
export function executeRequest(
  { KernelMessage: { createMessage } }: Services,
  session: string,
  code: string,
  silent: boolean,
): KernelMessage.IExecuteRequestMsg {
  return createMessage<KernelMessage.IExecuteRequestMsg>({
    msgType: "execute_request",
    channel: "shell",
    session,
    username: USERNAME,
    content: {
      // Half a surrogate pair, which no source file can hold, is an error inside ipykernel, and it sends no reply then.
      code: code.toWellFormed(),
      silent,
      store_history: !silent,
      user_expressions: {},
      allow_stdin: !silent,
      // Cells are sent one at a time; and after an error ipykernel 6 goes on refusing for a while what comes next.
      stop_on_error: false,
    },
  });
}

/** Sends `interrupt_request` on the control channel and waits for its reply, or the kernel's death. */
export async function requestInterrupt(
  { KernelMessage: { createMessage } }: Services,
  connection: Kernel.IKernelConnection,
  death: Promise<KernelDeath>,
): Promise<void> {
  const message = createMessage<KernelMessage.IInterruptRequestMsg>({
    msgType: "interrupt_request",
    channel: "control",
    session: connection.clientId,
    username: USERNAME,
    content: {},
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  const future = connection.sendControlMessage(message, true, false);
  future.onReply = () => resolve();
  await Promise.race([promise, death]);
  future.dispose();
}

const made = new WeakMap<GatewaySettings, ServerConnection.ISettings>();

/** The gateway's settings as services wants them, made once: the library parses its page for each. */
export function serverSettings(services: Services, settings: GatewaySettings): ServerConnection.ISettings {
  const known = made.get(settings) ?? makeServerSettings(services, settings);
  made.set(settings, known);
  return known;
}

/** The gateway's own classes stand in for the browser's; services uses the few members that both have. */
function makeServerSettings({ ServerConnection }: Services, settings: GatewaySettings): ServerConnection.ISettings {
  const { baseUrl, wsUrl, fetch, WebSocket, serializer = ServerConnection.makeSettings().serializer } = settings;
  const { serialize, deserialize } = serializer as ServerConnection.ISettings["serializer"];
  const lenient = (...message: Parameters<typeof deserialize>) => readLeniently(deserialize(...message));
  // The gateway's `fetch` and `WebSocket` carry the token; services would put it where odd ones fail.
  const own = { baseUrl, wsUrl, token: "", fetch, WebSocket, serializer: { serialize, deserialize: lenient } };
  return ServerConnection.makeSettings(own as Partial<ServerConnection.ISettings>);
}

/** The library keeps a message until the event loop's next turn, and thereby all pieces of a text that came at once. */
export function letGo(message: KernelMessage.IMessage): void {
  if (message.header.msg_type === "stream") message.content = { name: "stdout", text: "" };
}
