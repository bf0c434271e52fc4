import type { Client } from "../tools/client.ts";
import type { Invocation } from "./command.ts";

/** The client that a command talks to. Everything runs in this process until the daemon is there to take it. */
export async function connect(invocation: Invocation, _tool: string): Promise<Client> {
  const { createApp } = await import("../app.ts");
  return createApp({ directories: invocation.directories, settings: invocation.settings });
}
