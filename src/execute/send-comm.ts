import type { Kernel } from "@jupyterlab/services";
import { loadServices } from "./services.ts";
import type { StateSender } from "./widget-models.ts";

/** Tells a kernel the state of its widgets, as a front end does ("Messaging in Jupyter": Comm messages). */
export async function createStateSender(connection: () => Kernel.IKernelConnection | undefined): Promise<StateSender> {
  const { KernelMessage } = await loadServices();
  const session = crypto.randomUUID();
  return (comm_id, state) => {
    const message = KernelMessage.createMessage({
      msgType: "comm_msg",
      channel: "shell",
      session,
      username: "nuthatch",
      content: { comm_id, data: { method: "update", state, buffer_paths: [] } as never },
    });
    connection()?.sendShellMessage(message, false, true);
  };
}
