import type { KernelMessage } from "./message.ts";
import { makeMessage } from "./message-signer.ts";

/** How many messages an ipykernel may hold for us; its default of 1,000 is reached by a loop of flushed prints. */
const HELD_MESSAGES = 1_000_000;

/**
 * ipykernel's PUB socket drops without a word what a reader does not take in time, `idle` among it. The option is set on the
 * thread that owns the socket, and whatever goes wrong there must not be seen by the user.
 */
const RAISE_HIGH_WATER_MARK = `
try:
    get_ipython().kernel.iopub_thread.schedule(
        lambda socket=get_ipython().kernel.iopub_thread.socket: socket.setsockopt(__import__("zmq").SNDHWM, ${HELD_MESSAGES}))
except Exception:
    pass
`;

/** The silent request that prepares a kernel which answered with `reply` to `kernel_info_request`; undefined if none is needed. */
export function startUpCell(reply: KernelMessage, session: string): KernelMessage | undefined {
  if (reply.content.implementation !== "ipython") return undefined;
  return silentRequest(RAISE_HIGH_WATER_MARK, session);
}

/** A request that runs code of ours: it counts nothing, stores nothing and asks nobody. */
export function silentRequest(code: string, session: string): KernelMessage {
  const content = {
    code,
    silent: true,
    store_history: false,
    user_expressions: {},
    allow_stdin: false,
    stop_on_error: false,
  };
  return makeMessage("shell", "execute_request", content, session);
}
