import { Client, type ClientOptions } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { BINARY } from "./nuthatch.ts";

/** The protocol revisions that a test connects with: one of before July 2026 and the newest. */
export const PROTOCOLS = ["legacy", "2026-07-28"] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/** How a test starts `nuthatch mcp`; `roots` are the folders' URIs that the client names. */
export interface McpClientOptions {
  home: string;
  cwd?: string;
  words?: string[];
  env?: Record<string, string>;
  protocol?: Protocol;
  roots?: string[];
}

/** The official client connected to the binary; disposing closes the connection and waits for the process. */
export interface McpConnection extends AsyncDisposable {
  client: Client;
  pid: number;
  stderr(): string;
}

/** Starts `nuthatch mcp` and connects the official client library to it. */
export async function connectMcp(options: McpClientOptions): Promise<McpConnection> {
  const { home, cwd = home, words = [], env = {}, protocol = "legacy", roots } = options;
  const clientOptions: ClientOptions = {
    capabilities: roots === undefined ? {} : { roots: { listChanged: true } },
    versionNegotiation: { mode: protocol === "legacy" ? "legacy" : { pin: protocol } },
  };
  const client = new Client({ name: "nuthatch-test", version: "1.0.0" }, clientOptions);
  if (roots !== undefined) client.setRequestHandler("roots/list", () => ({ roots: roots.map((uri) => ({ uri })) }));
  const transport = new StdioClientTransport({
    command: BINARY,
    args: ["mcp", ...words],
    env: { NUTHATCH_HOME: home, ...env },
    cwd,
    stderr: "pipe",
  });
  let errors = "";
  transport.stderr?.on("data", (chunk: Buffer) => {
    errors += chunk.toString("utf8");
  });
  await client.connect(transport);
  return {
    client,
    pid: transport.pid as number,
    stderr: () => errors,
    [Symbol.asyncDispose]: () => client.close(),
  };
}
