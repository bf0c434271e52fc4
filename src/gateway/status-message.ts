import type { KernelMessage } from "../kernel/message.ts";
import type { KernelExit } from "../kernel/model.ts";

/**
 * A parentless `status: dead` ("Messaging in Jupyter", "Kernel status") with the process's end as `exit`. It carries the
 * kernel's own session id, because JupyterLab's client drops what it has not handled yet when that id changes.
 */
export function deathMessage(exit: KernelExit, session: string): KernelMessage {
  return statusMessage({ execution_state: "dead", exit: { ...exit } }, session);
}

/**
 * A `status: starting` of a session of its own: every client learns that the kernel it knew was replaced. `restarting`
 * would not do, because JupyterLab takes it for a crash and says so.
 */
export function replacementMessage(): KernelMessage {
  return statusMessage({ execution_state: "starting" }, crypto.randomUUID());
}

function statusMessage(content: Record<string, unknown>, session: string): KernelMessage {
  return {
    channel: "iopub",
    header: {
      msg_id: crypto.randomUUID(),
      msg_type: "status",
      session,
      username: "nuthatch",
      date: new Date().toISOString(),
      version: "5.4",
    },
    parent_header: {},
    metadata: {},
    content,
    buffers: [],
  };
}
