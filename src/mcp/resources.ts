import {
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { errorCode } from "../errors.ts";
import type { McpOptions } from "./mcp-server.ts";

const TEMPLATES = [
  {
    name: "artifact",
    title: "Artifact",
    uriTemplate: "artifact://{id}",
    description: "The whole of an output that a result shows in part, or an image in its original size",
  },
  {
    name: "notebook",
    title: "Notebook",
    uriTemplate: "notebook://{+path}",
    description: "A notebook's cells as text, with a summary of their outputs; the path may be relative",
    mimeType: "text/plain",
  },
];

/** How many artifacts are listed, the newest first. */
const LISTED = 100;

/** Finds the folder of a request, or what the client has to be asked for first. */
type LocateFolder = (context: ServerContext) => Promise<string | InputRequiredResult>;

/** Serves `artifact://<id>` and `notebook://<path>` ("Resources"). */
export function addResources(server: Server, options: McpOptions, locate: LocateFolder): void {
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: TEMPLATES }));
  server.setRequestHandler("resources/list", () => ({ resources: listArtifacts(options) }));
  server.setRequestHandler("resources/read", async (request, context) => {
    const { uri } = request.params;
    const [scheme, rest] = splitUri(uri);
    if (scheme === "artifact") return await readArtifact(options, uri);
    if (scheme !== "notebook") throw new ResourceNotFoundError(uri);
    const cwd = await locate(context);
    return typeof cwd === "string" ? await readNotebook(options, uri, rest, cwd, context.mcpReq.signal) : cwd;
  });
}

function listArtifacts({ artifacts }: McpOptions) {
  const newest = artifacts.list().slice(-LISTED).reverse();
  return newest.map(({ id, mimeType, title, session }) => ({
    uri: `artifact://${id}`,
    name: `artifact ${id}`,
    mimeType,
    ...(title || session ? { description: [title, session].filter(Boolean).join(", ") } : {}),
  }));
}

async function readArtifact({ artifacts }: McpOptions, uri: string): Promise<ReadResourceResult> {
  try {
    const { mimeType } = artifacts.find(uri);
    const bytes = Buffer.from(await artifacts.read(uri));
    const isText = mimeType.startsWith("text/") || /[/+](json|xml)$/.test(mimeType);
    const content = isText ? { text: bytes.toString("utf8") } : { blob: bytes.toString("base64") };
    return { contents: [{ uri, mimeType, ...content }] };
  } catch (error) {
    if (errorCode(error) === "artifact_not_found") throw new ResourceNotFoundError(uri, (error as Error).message);
    throw error;
  }
}

/** The same text as the `notebook` tool's action `read` gives: bounded, cleaned, and with every cell's id. */
async function readNotebook(options: McpOptions, uri: string, path: string, cwd: string, signal: AbortSignal) {
  const { client, environment, settings } = options;
  const input = { action: "read", notebook_path: path, outputs: "summary" };
  const { content, details, isError } = await client.callTool("notebook", input, {
    cwd,
    environment,
    settings,
    signal,
  });
  const text = content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
  if (isError && details.code === "notebook_not_found") throw new ResourceNotFoundError(uri, text);
  if (isError) throw new ProtocolError(ProtocolErrorCode.InvalidParams, text);
  return { contents: [{ uri, mimeType: "text/plain", text }] };
}

/** The scheme, and what follows `://` with its percent signs resolved. */
function splitUri(uri: string): [string, string] {
  const [, scheme = "", rest = ""] = /^([a-z]+):\/\/(.*)$/s.exec(uri) ?? [];
  try {
    return [scheme, decodeURIComponent(rest)];
  } catch {
    return [scheme, rest];
  }
}
