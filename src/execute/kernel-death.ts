import type { KernelMessage } from "@jupyterlab/services";
import type { KernelDeath } from "./model.ts";

/**
 * Reads a death from a `status` message. `dead` is the end, to which the embedded gateway adds the process's exit; or the
 * process was `replaced` by the server. `starting` from another incarnation is a restart that some client asked for.
 */
export function readDeath(message: KernelMessage.IMessage, incarnation?: string): KernelDeath | undefined {
  const state = executionState(message);
  const { exit, replaced } = message.content as { exit?: Partial<KernelDeath>; replaced?: boolean };
  const { code = null, signal = null, stderr = "" } = exit ?? {};
  if (replaced) return { ...deathBecause("its server found it dead and restarted it"), replaced };
  if (state === "dead") return { ...deathBecause(describeExit(code, signal)), code, signal, stderr };
  if (state !== "starting" || incarnation === undefined || incarnation === message.header.session) return undefined;
  return { ...deathBecause("another client restarted it"), replaced: true };
}

/** A death of which no more is known than its reason. */
export function deathBecause(reason: string): KernelDeath {
  return { reason, code: null, signal: null, stderr: "", replaced: false, disconnected: false };
}

/** The kernel's own session id, as the status of a request carries it; a server's messages and replies may carry another. */
export function readIncarnation(message: KernelMessage.IMessage): string | undefined {
  return executionState(message) === undefined ? undefined : message.header.session;
}

/**
 * Whether a message is about what the client `clientId` asked of the present incarnation: a first question or an execution.
 * After a restart there may still come the last words of the one before, and a status that the server made.
 */
export function answersPresent(
  { parent_header }: KernelMessage.IMessage,
  clientId: string,
  execution: string | undefined,
): boolean {
  const { msg_id, msg_type, session } = parent_header as Partial<KernelMessage.IHeader>;
  if (msg_type === "kernel_info_request") return session === clientId;
  return msg_id !== undefined && msg_id === execution;
}

function executionState(message: KernelMessage.IMessage): string | undefined {
  if (message.channel !== "iopub" || message.header.msg_type !== "status") return undefined;
  return (message.content as { execution_state?: string }).execution_state;
}

function describeExit(code: number | null, signal: string | null): string {
  if (signal !== null) return `it was ended by ${signal}`;
  return code === null ? "its process ended" : `it exited with code ${code}`;
}
