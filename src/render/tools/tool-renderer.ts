import type { ToolResult } from "../../tools/tool.ts";
import type { RenderContext, View } from "../renderer.ts";

/** What a person sees of a tool: its call before there is a result, then its result. */
export interface ToolRenderer<Parameters> {
  renderCall(parameters: Parameters, context: RenderContext): string[];
  renderResult(result: ToolResult, parameters: Parameters): View;
}

/** A view that draws once for each width, mode, theme and way to show pictures that it is asked for. */
export function cachedView(draw: (context: RenderContext) => string[]): View {
  let last: { context: RenderContext; lines: string[] } | undefined;
  return {
    render(context) {
      const same =
        last?.context.width === context.width &&
        last.context.expanded === context.expanded &&
        last.context.theme === context.theme &&
        last.context.picture === context.picture;
      if (last === undefined || !same) last = { context, lines: draw(context) };
      return last.lines;
    },
  };
}

/** The first text of a result, where a tool's own error says what went wrong. */
export function firstText(result: ToolResult): string {
  return result.content.find((block) => block.type === "text")?.text ?? "";
}
