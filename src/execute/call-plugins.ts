import type { KernelMessage } from "@jupyterlab/services";
import { MimeRegistry } from "../output/mime-registry.ts";
import type { MimeBundle } from "../output/model.ts";
import type { CellEvent, CellOutput } from "../plugin/api.ts";
import type { PluginHooks } from "../plugin/hooks.ts";

/** What the plugins give a call: handlers of MIME types, hooks, and what failed of them so far, for `diagnostics`. */
export interface CallPlugins {
  mime: MimeRegistry;
  failed: readonly unknown[];
  hooks: Pick<PluginHooks, "has" | "notify" | "changeOutput">;
}

/** No plugin at all: text of a bundle is its plain text, and nobody listens. */
export function noPlugins(): CallPlugins {
  const hooks = {
    has: () => false,
    notify: async () => {},
    changeOutput: ({ output }: { output: CellOutput }) => output,
  };
  return { mime: new MimeRegistry([]), failed: [], hooks };
}

/** The members that the contents of output messages have among them. */
interface OutputContent {
  name: string;
  text: string;
  ename: string;
  evalue: string;
  traceback: string[];
  data: MimeBundle;
  metadata: Record<string, unknown>;
}

/** What the hooks make of an output before anything else sees it; undefined when one drops it. Other messages pass. */
export function changeMessage(
  { hooks }: CallPlugins,
  cell: CellEvent,
  message: KernelMessage.IIOPubMessage,
): KernelMessage.IIOPubMessage | undefined {
  const output = hooks.has("cellOutput") ? readOutput(message) : undefined;
  if (output === undefined) return message;
  const changed = hooks.changeOutput({ ...cell, output });
  if (changed === output) return message;
  return changed === null ? undefined : writeOutput(changed, message);
}

function readOutput(message: KernelMessage.IIOPubMessage): CellOutput | undefined {
  const content = message.content as unknown as OutputContent;
  switch (message.header.msg_type) {
    case "stream":
      return { type: "stream", name: content.name, text: content.text };
    case "error":
      return { type: "error", name: content.ename, value: content.evalue, traceback: content.traceback };
    case "display_data":
    case "execute_result":
    case "update_display_data":
      return { type: "display", bundle: content.data, metadata: content.metadata };
    default:
      return undefined;
  }
}

/** The message with another output in it; what it was a display of, its id and count, stays where its kind stays. */
function writeOutput(output: CellOutput, message: KernelMessage.IIOPubMessage): KernelMessage.IIOPubMessage {
  const { msg_type } = message.header;
  const write = (type: string, content: unknown) =>
    ({ ...message, header: { ...message.header, msg_type: type }, content }) as KernelMessage.IIOPubMessage;
  if (output.type === "stream") return write("stream", { name: output.name, text: output.text });
  if (output.type === "error") {
    return write("error", { ename: output.name, evalue: output.value, traceback: output.traceback });
  }
  const isDisplay = msg_type !== "stream" && msg_type !== "error";
  const rest = isDisplay ? message.content : { transient: {} };
  return write(isDisplay ? msg_type : "display_data", { ...rest, data: output.bundle, metadata: output.metadata });
}
