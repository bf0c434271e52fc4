import { errorMessage } from "../errors.ts";
import { invalidBody } from "./errors.ts";
import type { KernelHost } from "./kernel-host.ts";
import type { SessionTable } from "./session-table.ts";

/** What the routes work on. `kernelDefaults` completes a start request that does not say where and with what it runs. */
export interface RouteContext {
  host: KernelHost;
  sessions: SessionTable;
  startedAt: Date;
  kernelDefaults: { cwd: string; env: Record<string, string> };
}

/** One request on its route. */
export interface Call {
  context: RouteContext;
  request: Request;
  /** The path's parameters, decoded. */
  parameters: string[];
  /** Where the gateway is served, with both slashes. */
  basePath: string;
}

export type Handler = (call: Call) => Promise<Response> | Response;

/** The request's body as an object; no body is an empty one. Throws `invalid_body`. */
export async function readBody(request: Request): Promise<Record<string, unknown>> {
  const text = await request.text();
  if (text.trim() === "") return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw invalidBody(`The request body is not JSON: ${errorMessage(error)}`);
  }
  if (!isRecord(value)) throw invalidBody("The request body is not a JSON object");
  return value;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
