import type { KernelMessage } from "@jupyterlab/services";

/** What the client library insists on in iopub messages ("Messaging in Jupyter", "Messages on the IOPub channel"). */
const REQUIRED: Record<string, Record<string, unknown>> = {
  stream: { name: "stdout", text: "" },
  display_data: { data: {}, metadata: {} },
  execute_input: { code: "", execution_count: 0 },
  execute_result: { execution_count: 0, data: {}, metadata: {} },
  error: { ename: "Error", evalue: "", traceback: [] },
  clear_output: { wait: false },
};

/**
 * Prepares a message for the client library, which throws a whole message away for a field that is missing, and which
 * reconnects by itself to a kernel that its server restarted: that throws where nobody can catch it when the connection was
 * given up meanwhile. Such a restart is the end of the kernel that we knew, and reads so.
 */
export function readLeniently(message: KernelMessage.IMessage): KernelMessage.IMessage {
  message.metadata ??= {};
  if (message.channel !== "iopub") return message;
  const content = message.content as Record<string, unknown>;
  if (message.header.msg_type === "status" && content.execution_state === "restarting") {
    message.content = { ...content, execution_state: "dead", replaced: true } as typeof message.content;
    return message;
  }
  for (const [field, value] of Object.entries(REQUIRED[message.header.msg_type] ?? {})) {
    const given = content[field];
    if (given === undefined || given === null || typeof given !== typeof value) content[field] = value;
  }
  // Other clients of the embedded gateway have the same message.
  return message.header.msg_type === "stream" ? { ...message } : message;
}
