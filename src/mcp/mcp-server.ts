import { type ListToolsResult, Server } from "@modelcontextprotocol/server";
import type { ArtifactStore } from "../output/artifacts.ts";
import type { Settings } from "../settings.ts";
import type { Client } from "../tools/client.ts";
import { loadTools } from "../tools/list.ts";
import { describeTools } from "../tools/schema.ts";
import { VERSION } from "../version.ts";
import { BaseFolder } from "./base-folder.ts";
import { callTool } from "./call.ts";
import { addResources } from "./resources.ts";

/** What the server is made for: whom it calls, and what every call brings along. */
export interface McpOptions {
  client: Client;
  /** This user's artifacts; they outlive the calls and the process that made them. */
  artifacts: Pick<ArtifactStore, "find" | "list" | "read">;
  settings: Settings;
  environment: Record<string, string | undefined>;
  session?: string;
  /** The folder that `--cwd` named; it wins over the client's roots. */
  cwd?: string;
  /** The process's own folder. */
  ownFolder: string;
  /** Send `details` as `structuredContent`. */
  structured: boolean;
}

const INSTRUCTIONS = `Nuthatch edits Jupyter notebooks and runs code in persistent kernels.
Change a notebook's cells with "notebook" (never with a text editor: it keeps every other byte of the file), run its cells and \
store their outputs in it with "run_notebook", and run code of your own with "python", whose variables stay between calls.`;

/** Makes the server of one connection; `era` is the protocol's kind that the client opened with. */
export function createMcpServer(options: McpOptions, era: "legacy" | "modern"): Server {
  const server = new Server(
    { name: "nuthatch", title: "Nuthatch", version: VERSION },
    { capabilities: { tools: {}, resources: {} }, instructions: INSTRUCTIONS },
  );
  const folder = new BaseFolder(server, options.cwd, options.ownFolder);
  server.setNotificationHandler("notifications/roots/list_changed", () => folder.forget());
  addResources(server, options, (context) => folder.locate(context, era));
  server.setRequestHandler("tools/list", async () => {
    return { tools: describeTools(await loadTools(), "mcp") as ListToolsResult["tools"] };
  });
  server.setRequestHandler("tools/call", async (request, context) => {
    const cwd = await folder.locate(context, era);
    return typeof cwd === "string" ? await callTool(options, cwd, request.params, context) : cwd;
  });
  return server;
}
