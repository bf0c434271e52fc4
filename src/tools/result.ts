import { errorMessage, type NuthatchError } from "../errors.ts";
import type { ToolResult } from "./tool.ts";

/** The result of a call that a tool refused: its first text starts with `Error: `, `details.code` names the error. */
export function errorResult(error: NuthatchError): ToolResult {
  const text = `Error: ${error.message}${error.hint === undefined ? "" : `\nHint: ${error.hint}`}`;
  return {
    content: [{ type: "text", text }],
    details: {
      ...error.data,
      code: error.code,
      message: error.message,
      ...(error.hint === undefined ? {} : { hint: error.hint }),
    },
    isError: true,
  };
}

/** The result of a call that threw: an error of ours as the tool's own, anything else as a fault of Nuthatch. */
export function resultOfError(error: unknown): ToolResult {
  const isOurs = error instanceof Error && error.name === "NuthatchError";
  return isOurs ? errorResult(error as NuthatchError) : internalErrorResult(error);
}

/** The result for a fault of Nuthatch itself; the command line ends with status 2 for it. */
export function internalErrorResult(error: unknown): ToolResult {
  const text = `Error: internal error: ${errorMessage(error)}`;
  return {
    content: [{ type: "text", text }],
    details: { code: "internal_error", message: errorMessage(error) },
    isError: true,
  };
}
