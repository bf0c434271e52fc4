import { randomUUID } from "node:crypto";
import type { KernelMessage } from "./message.ts";

/**
 * What a kernel says to `kernel_info_request`, made from the reply that it gave when it was found ready: a client asks for the
 * same again as its first question, and needs not wait for that.
 */
export function answerInfo(reply: KernelMessage, request: KernelMessage): KernelMessage[] {
  const date = new Date().toISOString();
  const say = (channel: KernelMessage["channel"], msg_type: string, content: Record<string, unknown>) => ({
    ...reply,
    channel,
    header: { ...reply.header, msg_id: randomUUID(), msg_type, date },
    parent_header: request.header,
    content,
  });
  return [
    say("iopub", "status", { execution_state: "busy" }),
    say(request.channel, "kernel_info_reply", reply.content),
    say("iopub", "status", { execution_state: "idle" }),
  ];
}
