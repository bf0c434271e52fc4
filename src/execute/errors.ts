import { errorMessage, NuthatchError } from "../errors.ts";

/** The gateway could not be reached at all, or what stands before it (a proxy, a Hub) says that it is not there now. */
export function gatewayUnreachable(url: string, cause: unknown): NuthatchError {
  return new NuthatchError({
    code: "gateway_unreachable",
    message: `Cannot reach the gateway ${withoutSecrets(url)}: ${errorMessage(cause)}`,
    hint: "check that the server runs and that the setting `gateway` names it",
    data: { url: withoutSecrets(url) },
    cause,
  });
}

/** The gateway refused the token; `how` is the HTTP status, or what the server did instead. */
export function gatewayUnauthorized(url: string, how: string): NuthatchError {
  return new NuthatchError({
    code: "gateway_unauthorized",
    message: `The gateway ${withoutSecrets(url)} refused access (${how})`,
    hint: "set `gatewayToken` (--gateway-token, NUTHATCH_GATEWAY_TOKEN) to the server's token",
    data: { url: withoutSecrets(url) },
  });
}

/** The token was taken, but this user may not have a kernel: a rule of the server's own, which `reason` tells. */
export function gatewayForbade(url: string, status: number, reason: string): NuthatchError {
  return new NuthatchError({
    code: "gateway_unauthorized",
    message: `The gateway ${withoutSecrets(url)} refused to start a kernel (HTTP ${status}): ${reason}`,
    hint: "set `gatewayToken` to the token of a user who may, or the KERNEL_ variables that the server asks for (they are passed on)",
    data: { url: withoutSecrets(url), status, reason },
  });
}

/** The server has nothing at this path. */
export function gatewayPathWrong(url: string): NuthatchError {
  return new NuthatchError({
    code: "gateway_path_wrong",
    message: `There is no Jupyter API at ${withoutSecrets(url)} (HTTP 404 for api/kernelspecs)`,
    hint: "set `gateway` to the server's URL with its whole base path, such as http://host:8888/user/me/",
    data: { url: withoutSecrets(url) },
  });
}

/** Something answers there, but not with the Jupyter REST API. */
export function notAGateway(url: string, found: string): NuthatchError {
  return new NuthatchError({
    code: "gateway_invalid",
    message: `${withoutSecrets(url)} is not a Jupyter server: ${found}`,
    hint: "set `gateway` to the URL of a Jupyter server or gateway with its whole base path, such as http://host:8888/user/me/",
    data: { url: withoutSecrets(url) },
  });
}

/** The gateway failed (HTTP 5xx) to make a kernel; it is asked once more before this reaches the caller. */
export function gatewayCreateFailed(url: string, status: number, reason: string): NuthatchError {
  return new NuthatchError({
    code: "gateway_create_failed",
    message: `The gateway ${withoutSecrets(url)} could not start a kernel (HTTP ${status}): ${reason}`,
    hint: "look into the server's log",
    data: { url: withoutSecrets(url), status, reason },
  });
}

/** A request that the gateway refused for a reason of its own. */
export function gatewayRefused(url: string, status: number, reason: string): NuthatchError {
  return new NuthatchError({
    code: "gateway_refused",
    message: `The gateway ${withoutSecrets(url)} refused the request (HTTP ${status}): ${reason}`,
    data: { url: withoutSecrets(url), status, reason },
  });
}

/** A URL as an error may show it: results are read by models and kept in transcripts. */
function withoutSecrets(url: string): string {
  return url.replace(/\/\/[^/@]*@/, "//").replace(/[?#].*$/s, "");
}

/** A kernel is there but does not answer. */
export function kernelSilent(name: string, seconds: number): NuthatchError {
  return new NuthatchError({
    code: "kernel_start_timeout",
    message: `The kernel ${name} did not answer within ${seconds} seconds of its start`,
    hint: "try another kernel, such as --kernel bundled",
    data: { kernel: name },
  });
}

/** The kernel or the way to it ended before it was ready. */
export function kernelEndedAtStart(name: string, reason: string): NuthatchError {
  return new NuthatchError({
    code: "kernel_start_failed",
    message: `The kernel ${name} ended while it started: ${reason}`,
    hint: "nuthatch doctor shows the interpreters and kernels of this host",
    data: { kernel: name, reason },
  });
}

/** Every session is busy and none became free in the time that the call may wait. */
export function sessionsBusy(names: string[], seconds: number): NuthatchError {
  return new NuthatchError({
    code: "sessions_busy",
    message: `All ${names.length} sessions are busy after waiting ${seconds} seconds: ${names.join(", ")}`,
    hint: "raise the setting `maxSessions`, or end one with nuthatch sessions stop <name>",
    data: { sessions: names },
  });
}

/** The working directory of the call is not there. */
export function cwdNotFound(cwd: string): NuthatchError {
  return new NuthatchError({
    code: "cwd_not_found",
    message: `Working directory does not exist: ${cwd}`,
    data: { cwd },
  });
}

/** The executor was disposed while, or before, the call ran. */
export function executorClosed(): NuthatchError {
  return new NuthatchError({ code: "executor_closed", message: "The executor is closed" });
}

/** Somebody ended the session while a call was at work in it. */
export function sessionEnded(name: string): NuthatchError {
  return new NuthatchError({
    code: "session_ended",
    message: `The session ${name} was ended`,
    hint: "the next call starts it anew",
    data: { session: name },
  });
}

/** The step that prepares a fresh kernel failed inside it. */
export function initStepFailed(name: string, reason: string): NuthatchError {
  return new NuthatchError({
    code: "kernel_init_failed",
    message: `The kernel ${name} could not be prepared: ${reason}`,
    hint: "try another kernel, such as --kernel bundled",
    data: { kernel: name, reason },
  });
}

/** A call asks for another kernel or interpreter than its session has; `parameter` starts the session anew. */
export function sessionMismatch(
  { name, parameter }: { name: string; parameter: "reset" | "restart" },
  what: string,
  has: string,
  asked: string,
): NuthatchError {
  return new NuthatchError({
    code: "session_mismatch",
    message: `The session ${name} was started with the ${what} ${has}, and this call asks for ${asked}`,
    hint: `pass ${parameter}: true to start the session anew, or name another session`,
    data: { session: name, what, has, asked },
  });
}

/** No session goes by this name. */
export function sessionNotFound(name: string, known: string[]): NuthatchError {
  return new NuthatchError({
    code: "session_not_found",
    message: `There is no session ${name}`,
    hint: known.length === 0 ? "no session is live" : `the live sessions are ${known.join(", ")}`,
    data: { session: name },
  });
}

/** The system refuses more files although the executor gave back all that it held. */
export function tooManyOpenFiles(files: { open: number; limit: number } | undefined, cause: unknown): NuthatchError {
  const count = files === undefined ? "" : `: ${files.open} are open, the limit is ${files.limit}`;
  return new NuthatchError({
    code: "too_many_open_files",
    message: `Too many open files${count}`,
    hint: "stop other sessions (nuthatch sessions), or raise the limit with ulimit -n; a kernel takes up to 8, and as many are kept free",
    cause,
  });
}

/** A notebook needs a kernel that the gateway does not have, and none there speaks its language. */
export function kernelForLanguageNotFound(kernel: string, language: string, known: string[]): NuthatchError {
  const named = kernel === "" ? "" : ` ${kernel}`;
  return new NuthatchError({
    code: "kernelspec_not_found",
    message: `The notebook needs the kernel${named} of the language ${language}, and the gateway has none for it`,
    hint: `the kernels are ${known.join(", ")}; name another one with --kernel`,
    data: { kernel, language, known },
  });
}

/** The setting `gateway` is neither a mode nor a URL. */
export function invalidGatewayUrl(text: string): NuthatchError {
  return new NuthatchError({
    code: "invalid_settings",
    message: `The setting gateway must be embedded, shared, or an http or https URL, not ${JSON.stringify(withoutSecrets(text))}`,
    hint: "such as --gateway http://127.0.0.1:8888/",
    data: { key: "gateway" },
  });
}
