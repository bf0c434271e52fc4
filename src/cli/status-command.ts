import { findDaemon } from "../daemon/open-daemon.ts";
import type { DaemonStatus } from "../daemon/wire.ts";
import { EXIT, type Invocation } from "./command.ts";
import { writeJson, writeOut } from "./standard-output.ts";

/** `nuthatch status`: whether the background daemon runs, and what it has. Starts none. */
export async function runStatus({ directories, json }: Invocation): Promise<number> {
  const connection = await findDaemon(directories.runtime);
  const status = (await connection?.request("status", {})) as DaemonStatus | undefined;
  connection?.close();
  if (json) writeJson(status === undefined ? { running: false } : { running: true, ...status });
  else writeOut(status === undefined ? "no daemon is running\n" : describe(status));
  return EXIT.done;
}

function describe(status: DaemonStatus): string {
  const rows: [string, string | number][] = [
    ["pid", status.pid],
    ["version", status.version],
    ["socket", status.socket],
    ["uptime", `${status.uptimeSeconds} s`],
    ["sessions", status.sessions],
    ["calls", status.calls],
    ["background runs", status.runs],
    ["memory", `${Math.round(status.memoryBytes / 2 ** 20)} MB`],
  ];
  return rows.map(([name, value]) => `${name.padEnd(16)}${value}\n`).join("");
}
