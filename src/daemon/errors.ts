import { type ErrorFields, NuthatchError } from "../errors.ts";
import { VERSION } from "../version.ts";
import type { Build } from "./wire.ts";

/** The daemon ended, or was killed, before it began with a request: it may be made again to another daemon. */
export function daemonGone(): NuthatchError {
  return new NuthatchError({ code: "daemon_gone", message: "the daemon ended before it took the call" });
}

/** The daemon went away in the middle of a request; its kernels are gone with it. */
export function daemonDied(pid: number): NuthatchError {
  return new NuthatchError({
    code: "daemon_died",
    message: `the background daemon (pid ${pid}) ended during the call; its sessions and their state are gone`,
    hint: "call again: a new daemon starts by itself",
    data: { pid },
  });
}

/** The client was closed while its request was under way. */
export function clientClosed(): NuthatchError {
  return new NuthatchError({ code: "client_closed", message: "the connection to the daemon was closed" });
}

/** A daemon holds the socket but says nothing. */
export function daemonSilent(seconds: number): NuthatchError {
  return new NuthatchError({
    code: "daemon_unresponsive",
    message: `the background daemon has not answered for ${seconds} seconds`,
    hint: "nuthatch stop ends it",
  });
}

/** The daemon is of another build, whose sessions this binary must not end, or whose wire it may not know. */
export function daemonOfOtherBuild(daemon: Build, own: "newer" | "older"): NuthatchError {
  const other = own === "older" ? "newer" : "older";
  return new NuthatchError({
    code: "daemon_version",
    message: `the background daemon is nuthatch ${daemon.version} (${daemon.executable}), ${other} than this nuthatch ${VERSION}`,
    hint: `${own === "older" ? "use the newer one, or " : ""}end the daemon with nuthatch stop`,
    data: { daemon: daemon.version, own: VERSION },
  });
}

/** No daemon could be started; `reason` is the words of the process that tried. */
export function daemonStartFailed(reason: string): NuthatchError {
  return new NuthatchError({ code: "daemon_start_failed", message: `the daemon did not start: ${reason}` });
}

/** A daemon is there already where one was to be started in the foreground. */
export function daemonRunning(pid: number | undefined): NuthatchError {
  return new NuthatchError({
    code: "daemon_running",
    message: `a daemon runs already${pid === undefined ? "" : ` (pid ${pid})`}`,
    hint: "nuthatch stop ends it",
  });
}

/** The call was carried out, but what it gives is more than a client takes in one piece. */
export function resultTooLarge(bytes: number, most: number): NuthatchError {
  return new NuthatchError({
    code: "result_too_large",
    message: `the call was done, but its result has ${bytes} bytes and the daemon passes on at most ${most}`,
    hint: "set maxOutputBytes, or have the code write large results into a file",
    data: { bytes, most },
  });
}

/** The daemon does not know what was asked of it. */
export function unknownMethod(method: string): NuthatchError {
  return new NuthatchError({ code: "unknown_method", message: `the daemon has no method "${method}"` });
}

/** An error in the form of the wire; what is no error of Nuthatch's own becomes an `internal_error`. */
export function errorFields(error: unknown): ErrorFields {
  if (error instanceof Error && error.name === "NuthatchError") {
    const { code, message, hint, data } = error as NuthatchError;
    return { code, message, ...(hint === undefined ? {} : { hint }), ...(data === undefined ? {} : { data }) };
  }
  return { code: "internal_error", message: error instanceof Error ? error.message : String(error) };
}
