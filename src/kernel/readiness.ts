import type { KernelChannels } from "./kernel-channels.ts";
import type { KernelMessage } from "./message.ts";
import { makeMessage } from "./message-signer.ts";
import type { OwnRequests } from "./own-requests.ts";

/** A subscription reaches the kernel some time after its socket is open; until then its messages are lost. Milliseconds. */
const ASK_AGAIN_AFTER = 100;
/** A kernel that has answered this often and never said a word on iopub has nothing to say there. */
const MOST_QUESTIONS = 30;

/**
 * Waits until the kernel answers `kernel_info_request` and its iopub channel is live, and gives the reply. Live means that
 * some iopub message was seen, a status or `iopub_welcome`: nothing below the messages (a PING, a handshake) proves it.
 * Ends with the reason of `signal` when that is aborted.
 */
export async function awaitReady(
  channels: KernelChannels,
  own: OwnRequests,
  session: string,
  signal: AbortSignal,
): Promise<KernelMessage> {
  const ready = Promise.withResolvers<KernelMessage>();
  let asked = 0;
  let live = false;
  let reply: KernelMessage | undefined;
  let again: Timer | undefined;
  const ask = () => {
    asked++;
    channels.send(own.note(makeMessage("shell", "kernel_info_request", {}, session)));
  };
  const unsubscribe = channels.subscribe((message) => {
    if (message.channel === "iopub") live = true;
    else if (message.header.msg_type === "kernel_info_reply" && own.answeredBy(message)) {
      reply = message;
      if (!live && asked < MOST_QUESTIONS) again = setTimeout(ask, ASK_AGAIN_AFTER);
    }
    if (reply && (live || asked >= MOST_QUESTIONS)) ready.resolve(reply);
  });
  const abort = () => ready.reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    signal.throwIfAborted();
    ask();
    return await ready.promise;
  } finally {
    clearTimeout(again);
    unsubscribe();
    signal.removeEventListener("abort", abort);
  }
}
