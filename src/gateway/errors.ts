import { errorMessage, NuthatchError } from "../errors.ts";

/** A kernel id that this gateway does not have: it was shut down, or never was. */
export function kernelNotFound(id: string): NuthatchError {
  return new NuthatchError({
    code: "kernel_not_found",
    message: `Kernel does not exist: ${id}`,
    hint: "list the kernels with GET /api/kernels",
    data: { status: 404 },
  });
}

/** A session id of `/api/sessions` that this gateway does not have. */
export function sessionNotFound(id: string): NuthatchError {
  return new NuthatchError({
    code: "session_not_found",
    message: `Session not found: ${id}`,
    hint: "list the sessions with GET /api/sessions",
    data: { status: 404 },
  });
}

/** A request body that is not the JSON object that the route needs. */
export function invalidBody(message: string): NuthatchError {
  return new NuthatchError({ code: "invalid_body", message, data: { status: 400 } });
}

/** The gateway was disposed; nothing is started any more. */
export function gatewayClosed(): NuthatchError {
  return new NuthatchError({ code: "gateway_closed", message: "The gateway is closed", data: { status: 503 } });
}

/** A WebSocket frame that is no Jupyter message. */
export function invalidMessage(cause: unknown): NuthatchError {
  return new NuthatchError({
    code: "invalid_message",
    message: `A frame is no Jupyter message: ${errorMessage(cause)}`,
    data: { status: 400 },
    cause,
  });
}

/** A kernelspec's name that this host does not know. */
export function kernelSpecNotFound(name: string): NuthatchError {
  return new NuthatchError({
    code: "kernelspec_not_found",
    message: `Kernel spec not found: ${name}`,
    hint: "list the kernelspecs with GET /api/kernelspecs",
    data: { status: 404 },
  });
}
