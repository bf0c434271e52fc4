import { randomBytes } from "node:crypto";
import { daemonFiles } from "../daemon/daemon-files.ts";
import { daemonRunning } from "../daemon/errors.ts";
import { findDaemon } from "../daemon/open-daemon.ts";
import { errorCode, invalidInput, NuthatchError, orCannotWrite } from "../errors.ts";
import type { GatewayServer, Listening } from "../gateway/gateway-server.ts";
import { logLine } from "../log.ts";
import { DIRECTORY_HINT, ensurePrivateDirectory } from "../paths.ts";
import { EXIT, type Invocation } from "./command.ts";
import { onInterrupt } from "./interrupt.ts";
import { createDaemon, surviveFaults } from "./run-daemon.ts";
import { writeJson, writeOut } from "./standard-output.ts";

/** Jupyter's own port; without `--port` the next free one is taken. */
const USUAL_PORT = 8888;
const MOST_PORTS = 50;

/**
 * `nuthatch serve`: the daemon in the foreground, with the Jupyter API on a port for JupyterLab and others. It does not end by
 * itself when idle; Ctrl-C and `nuthatch stop` end it. The URL with its token goes to standard output.
 */
export async function runServe(invocation: Invocation): Promise<number> {
  const { directories, settings, json } = invocation;
  const listening = readListening(invocation);
  const { tryLockFile } = await import("../daemon/lock-file.ts");
  const { runtime } = directories;
  const files = daemonFiles(orCannotWrite(runtime, DIRECTORY_HINT, () => ensurePrivateDirectory(runtime)));
  const lock = tryLockFile(files.lock);
  if (lock === undefined) throw daemonRunning((await findDaemon(runtime))?.hello.pid);
  const { daemon, app } = await createDaemon(directories, { ...settings, idleTimeout: Infinity }, lock);
  await using _ = daemon;
  surviveFaults();
  const release = onInterrupt(() => void daemon.stop());
  const server = await listen((where) => app.serveGateway(where), listening);
  const url = new URL(server.url);
  if (listening.token !== "") url.searchParams.set("token", listening.token);
  if (json) writeJson({ pid: process.pid, socket: files.socket, url: server.url, token: listening.token });
  else writeOut(`${url.href}\n`);
  logLine(`serving on ${server.url} and ${files.socket} (pid ${process.pid})`);
  await daemon.ended;
  release();
  return EXIT.done;
}

type PortListening = Extract<Listening, { port: number }> & { nextPorts: boolean };

/** Where to listen. Without a token one is made: code runs for whoever reaches the port. Throws `invalid_input`. */
function readListening({ values, environment }: Invocation): PortListening {
  const { host: hostname = "127.0.0.1", port } = values;
  const token = values.token ?? environment.JUPYTER_TOKEN ?? randomBytes(24).toString("hex");
  if (port !== undefined && !(/^\d+$/.test(port) && Number(port) < 65_536)) {
    throw invalidInput(`--port must be a number from 0 to 65535, not ${port}`, "port", "0 takes any free port");
  }
  if (token === "" && !/^(localhost|127(\.\d+){3}|::1)$/.test(hostname)) {
    throw invalidInput(`without a token ${hostname} would let everybody run code here`, "token", "leave --token out");
  }
  return { hostname, port: Number(port ?? USUAL_PORT), token, nextPorts: port === undefined };
}

/** Listens on the port, or on the first free one from there. Throws `port_unavailable`. */
async function listen(serve: (where: Listening) => Promise<GatewayServer>, listening: PortListening) {
  const { hostname, token, port, nextPorts } = listening;
  for (let tried = port; ; tried++) {
    try {
      return await serve({ hostname, token, port: tried });
    } catch (error) {
      const goOn = nextPorts && errorCode(error) === "EADDRINUSE" && tried < port + MOST_PORTS;
      if (!goOn) throw portUnavailable(hostname, tried, error);
    }
  }
}

function portUnavailable(hostname: string, port: number, cause: unknown): NuthatchError {
  const why = errorCode(cause) === "EADDRINUSE" ? "is taken" : `cannot be used (${errorCode(cause) ?? cause})`;
  return new NuthatchError({
    code: "port_unavailable",
    message: `port ${port} of ${hostname} ${why}`,
    hint: "choose another with --port; 0 takes any free one",
    data: { hostname, port },
    cause,
  });
}
