import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { TOOLS } from "../tools/list.ts";
import { resultOfError } from "../tools/result.ts";
import type { ToolResult } from "../tools/tool.ts";
import type { McpOptions } from "./mcp-server.ts";
import { ProgressReporter } from "./progress.ts";

/**
 * Runs one `tools/call`: the host's cancellation stops it, and it is reported to a host that sent a progress token. What fails,
 * the daemon's end too, is a result with `isError`, because models see results and not protocol errors.
 */
export async function callTool(
  options: McpOptions,
  cwd: string,
  params: { name: string; arguments?: Record<string, unknown> },
  context: ServerContext,
): Promise<CallToolResult> {
  if (!TOOLS.has(params.name)) throw unknownTool(params.name);
  const reporter = reportTo(context);
  try {
    const { environment, settings, session } = options;
    const result = await options.client.callTool(params.name, params.arguments ?? {}, {
      cwd,
      environment,
      settings,
      signal: context.mcpReq.signal,
      ...(session === undefined ? {} : { session }),
      ...(reporter === undefined ? {} : { onUpdate: (update) => reporter.update(update) }),
    });
    return toMcp(result, options.structured);
  } catch (error) {
    return toMcp(resultOfError(error), options.structured);
  } finally {
    reporter?.stop();
  }
}

/** `details` are sent only where asked for, and never beside an image: hosts drop the image then, or count it as text. */
function toMcp(result: ToolResult, structured: boolean): CallToolResult {
  const { content, details, isError } = result;
  const hasImage = content.some((block) => block.type === "image");
  return { content, ...(structured && !hasImage ? { structuredContent: details } : {}), isError };
}

function reportTo(context: ServerContext): ProgressReporter | undefined {
  const progressToken = context.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return new ProgressReporter((progress) =>
    context.mcpReq.notify({ method: "notifications/progress", params: { progressToken, ...progress } }),
  );
}

function unknownTool(name: string): ProtocolError {
  const known = [...TOOLS.keys()].join(", ");
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `unknown tool "${name}"; the tools are ${known}`);
}
