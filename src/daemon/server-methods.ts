import type { Client } from "../tools/client.ts";
import type { CallOptions, ToolUpdate } from "../tools/tool.ts";
import type { Method, MethodContext } from "./server-connection.ts";

/** The parameters of the method `callTool`: {@link CallOptions} as data. */
export interface CallParams {
  name: string;
  input: unknown;
  options: Pick<CallOptions, "cwd" | "environment" | "settings" | "session">;
  /** Whether the client wants updates at all. */
  updates: boolean;
}

/** What the daemon does for its clients: the methods of a {@link Client}, by name. */
export function clientMethods(client: Client): Record<string, Method> {
  return {
    callTool: (params, context) => {
      const { name, input, options, updates } = params as CallParams;
      const onUpdate = updates ? { onUpdate: forwardUpdates(context) } : {};
      return client.callTool(name, input, { ...options, signal: context.signal, ...onUpdate });
    },
  };
}

/** Sends updates on; what a slow reader misses is counted and told with the next update that gets through. */
function forwardUpdates(context: MethodContext): (update: ToolUpdate) => void {
  let missed = 0;
  return (update) => {
    const notice = {
      type: "text" as const,
      text: `[${missed} bytes of output were not streamed: the reader was slow]\n`,
    };
    const content = missed === 0 ? update.content : [notice, ...update.content];
    if (context.update({ ...update, content })) missed = 0;
    else
      missed += update.content.reduce(
        (sum, block) => sum + (block.type === "text" ? Buffer.byteLength(block.text) : 0),
        0,
      );
  };
}
