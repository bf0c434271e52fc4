import * as v from "valibot";
import { invalidInput } from "../errors.ts";
import type { Executor, SessionInfo } from "../execute/executor.ts";
import type { Tool, ToolContext, ToolResult } from "./tool.ts";

const input = v.strictObject({
  action: v.pipe(v.picklist(["list", "interrupt", "restart", "stop"]), v.description("What to do")),
  name: v.optional(v.pipe(v.string(), v.description("The session, as list names it; for all actions but list"))),
});

/** The `sessions` tool: the live kernels that python and run_notebook left behind. */
export const sessionsTool: Tool<typeof input> = {
  name: "sessions",
  title: "Live sessions",
  description: `Lists and manages the live kernels of python and run_notebook. A session that nobody named has its folder, or its notebook, as its name.
- list: every session with its folder, kernel and status (idle, busy or dead).
- interrupt: stops what runs in it; variables stay.
- restart: a fresh kernel; variables are gone.
- stop: ends its kernel. The next call that uses the session starts another.`,
  input,
  aliases: { session: "name" },
  run: runSessions,
};

async function runSessions({ action, name }: v.InferOutput<typeof input>, context: ToolContext): Promise<ToolResult> {
  const executors = context.executors();
  if (action === "list") return listSessions(executors.flatMap((executor) => executor.listSessions()));
  const session = name ?? context.session;
  if (session === undefined) throw invalidInput(`name is required for ${action}`, "name", "list names the sessions");
  const hasIt = (executor: Executor) => executor.listSessions().some((one) => one.name === session);
  const executor = executors.find(hasIt) ?? (await context.executor());
  if (action === "interrupt") await executor.interruptSession(session);
  if (action === "restart") await executor.restartSession(session);
  if (action === "stop") await executor.stopSession(session);
  const past = { interrupt: "Interrupted", restart: "Restarted", stop: "Stopped" }[action];
  return {
    content: [{ type: "text", text: `${past} session ${session}\n` }],
    details: { action, session },
    isError: false,
  };
}

function listSessions(sessions: SessionInfo[]): ToolResult {
  const lines = sessions.map(({ name, cwd, kernel, status }) =>
    [name, status, kernel ?? "no kernel", ...(cwd === name ? [] : [cwd])].join("  "),
  );
  return {
    content: [{ type: "text", text: lines.length === 0 ? "No live sessions\n" : `${lines.join("\n")}\n` }],
    details: { sessions },
    isError: false,
  };
}
