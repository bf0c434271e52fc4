import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { logLine } from "../log.ts";
import { createMcpServer, type McpOptions } from "./mcp-server.ts";
import { StdioTransport } from "./stdio-transport.ts";

/**
 * Serves MCP on the standard streams until the host closes them or `stop` is aborted; calls under way are aborted then. The
 * caller disposes the client afterwards.
 */
export async function serveMcp(options: McpOptions, stop: AbortSignal): Promise<void> {
  const transport = new StdioTransport();
  const onerror = (error: Error) => {
    if (options.environment.NUTHATCH_DEBUG) logLine(`mcp: ${error.message}`);
  };
  const connection = serveStdio(({ era }) => createMcpServer(options, era), { transport, onerror });
  const close = () => void transport.close();
  stop.addEventListener("abort", close, { once: true });
  await transport.closed;
  stop.removeEventListener("abort", close);
  await connection.close();
}
