import { invalidInput } from "../errors.ts";
import type { SessionInfo } from "../execute/executor.ts";
import { cleanName } from "../render/clean.ts";
import type { ToolResult } from "../tools/tool.ts";
import { callOptions, exitStatus } from "./call-command.ts";
import type { Invocation } from "./command.ts";
import { connect } from "./connect.ts";
import { onInterrupt } from "./interrupt.ts";
import { reportRefused } from "./report-refusal.ts";
import { writeJson, writeOut } from "./standard-output.ts";

/** `nuthatch sessions [action] [name]`: the `sessions` tool for people. Without a daemon there are none, and none is started. */
export async function runSessions(invocation: Invocation): Promise<number> {
  const [action = "list", name] = invocation.positionals;
  if (action === "list" && name !== undefined) throw invalidInput(`unexpected word "${name}"`, "name");
  const client = await connect(invocation, "sessions");
  const abort = new AbortController();
  const release = onInterrupt(() => abort.abort());
  try {
    const input = { action, ...(name === undefined ? {} : { name }) };
    const result = await client.callTool("sessions", input, callOptions(invocation, abort.signal));
    print(result, invocation.json);
    return exitStatus(result, abort.signal);
  } finally {
    release();
    await client.dispose();
  }
}

function print(result: ToolResult, json: boolean): void {
  const { sessions } = result.details as { sessions?: SessionInfo[] };
  const text = result.content.map((block) => (block.type === "text" ? block.text : "")).join("");
  if (json) writeJson(sessions === undefined ? result : { sessions });
  else if (result.isError) reportRefused(result);
  else writeOut(sessions === undefined || sessions.length === 0 ? text : formatTable(sessions));
}

function formatTable(sessions: SessionInfo[]): string {
  const rows = sessions.map(({ name, status, kernel, pid, lastUsedAt, cwd }) => {
    const idle = Math.max(0, Math.round((Date.now() - Date.parse(lastUsedAt)) / 1000));
    return [name, status, kernel ?? "-", String(pid ?? "-"), `${idle} s ago`, cwd].map(cleanName);
  });
  const table = [["SESSION", "STATUS", "KERNEL", "PID", "USED", "FOLDER"], ...rows];
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => Bun.stringWidth(row[column] as string))));
  const pad = (cell: string, column: number) => cell + " ".repeat((widths?.[column] ?? 0) - Bun.stringWidth(cell));
  return table.map((row) => `${row.map(pad).join("  ").trimEnd()}\n`).join("");
}
