import { errorCode, errorMessage } from "../errors.ts";
import { logLine } from "../log.ts";
import type { Client } from "../tools/client.ts";
import { TOOLS } from "../tools/list.ts";
import type { Invocation } from "./command.ts";

/** Tools that need no kernel and run in the caller. */
const LOCAL_TOOLS = new Set(["notebook"]);

/** Tools that speak of what is running: they use a daemon that is there and start none. */
const TOOLS_ON_WHAT_RUNS = new Set(["sessions", "runs"]);

/** What the user has to decide; anything else that keeps a daemon from running is no reason to refuse a call. */
const ERRORS_OF_THE_USER = new Set(["unsafe_directory", "daemon_version", "daemon_unresponsive"]);

/** The client that a command talks to: the daemon's, or an App in this process where it needs none or none can run. */
export async function connect(invocation: Invocation, tool: string): Promise<Client> {
  const { directories, settings, environment } = invocation;
  if (!needsDaemon(invocation, tool)) return await createLocalApp(invocation, tool);
  const { connectToDaemon, joinDaemon } = await import("../daemon/client.ts");
  if (TOOLS_ON_WHAT_RUNS.has(tool))
    return (await joinDaemon(directories.runtime)) ?? (await createLocalApp(invocation, tool));
  try {
    return await connectToDaemon({ directories, settings, environment });
  } catch (error) {
    if (ERRORS_OF_THE_USER.has(errorCode(error) ?? "")) throw error;
    logLine(
      `no daemon can run here (${errorMessage(error)}): this call has its own process, and its session ends with it`,
    );
    return await createLocalApp(invocation, tool);
  }
}

function needsDaemon({ inProcess, settings }: Invocation, tool: string): boolean {
  if (inProcess || settings.gateway === "shared" || process.platform === "win32") return false;
  return TOOLS.has(tool) ? !LOCAL_TOOLS.has(tool) : tool === "mcp";
}

async function createLocalApp({ directories, settings, environment }: Invocation, tool: string): Promise<Client> {
  const { createApp } = await import("../app.ts");
  const findSharedGateway = async () => {
    const daemon = await import("../daemon/client.ts");
    return await daemon.findSharedGateway({ directories, settings, environment });
  };
  return createApp({ directories, settings, findSharedGateway, endsWithCall: tool !== "mcp" });
}
