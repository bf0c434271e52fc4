import type { Content } from "../output/model.ts";
import type { Client } from "../tools/client.ts";
import type { CallOptions } from "../tools/tool.ts";
import type { Method, MethodContext } from "./server-connection.ts";

/** The parameters of the method `callTool`: {@link CallOptions} as data. */
export interface CallParams {
  name: string;
  input: unknown;
  options: Pick<CallOptions, "cwd" | "environment" | "settings" | "session">;
  /** Whether the client wants updates at all. */
  updates: boolean;
}

/** The parameters of the methods that speak of a session and of code in it. */
interface SessionParams {
  session: string;
  code: string;
  cursor: number;
}

/** What the daemon does for its clients: the methods of a {@link Client}, by name. */
export function clientMethods(client: Client): ReadonlyMap<string, Method> {
  const ask =
    (act: (params: SessionParams) => Promise<unknown>): Method =>
    (params) =>
      act(params as SessionParams);
  return new Map(
    Object.entries<Method>({
      callTool: (params, context) => {
        const { name, input, options, updates } = params as CallParams;
        const onUpdate = updates ? { onUpdate: forwardTo(context) } : {};
        return client.callTool(name, input, { ...options, signal: context.signal, ...onUpdate });
      },
      complete: ask(({ session, code, cursor }) => client.session(session).complete(code, cursor)),
      inspect: ask(({ session, code, cursor }) => client.session(session).inspect(code, cursor)),
      isComplete: ask(({ session, code }) => client.session(session).isComplete(code)),
      interrupt: ask(({ session }) => client.session(session).interrupt()),
      watch: (params, context) =>
        client.session((params as SessionParams).session).watch(forwardTo(context), context.signal),
    }),
  );
}

/** Sends news on; what a slow reader misses is counted and told with what gets through next. The end of a call always does. */
function forwardTo(context: MethodContext): (update: { content: Content[]; ended?: boolean }) => void {
  let missed = 0;
  return (update) => {
    const notice: Content = {
      type: "text",
      text: `[${missed} bytes of output were not streamed: the reader was slow]\n`,
    };
    const content = missed === 0 ? update.content : [notice, ...update.content];
    if (context.update({ ...update, content }, update.ended)) missed = 0;
    else missed += countText(update.content);
  };
}

function countText(content: Content[]): number {
  return content.reduce((sum, block) => sum + (block.type === "text" ? Buffer.byteLength(block.text) : 0), 0);
}
