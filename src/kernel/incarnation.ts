// States: starting -> ready -> ended. `startIncarnation` owns what it made until it returns; then the process's end closes the
// channels and removes the connection file, whatever caused it. `shutdown` brings that end about.
import { randomUUID } from "node:crypto";
import { type Connection, type Transport, writeConnectionFile } from "./connection-file.ts";
import { describeExit, kernelStartFailed, startRefused } from "./errors.ts";
import { KernelChannels } from "./kernel-channels.ts";
import { type KernelProcess, spawnKernel } from "./kernel-process.ts";
import type { KernelMessage } from "./message.ts";
import { makeMessage } from "./message-signer.ts";
import type { KernelExit, KernelSpec } from "./model.ts";
import { OwnRequests } from "./own-requests.ts";
import { awaitReady } from "./readiness.ts";
import { startUpCell } from "./start-up-cell.ts";
import type { Watchdog } from "./watchdog.ts";

/** All that a kernel is started with; `argv` still holds `{connection_file}`, its first word is an absolute path. */
export interface Launch {
  spec: KernelSpec;
  argv: string[];
  cwd: string;
  env: Record<string, string>;
  transport: Transport;
  /** The Python that was chosen, if any; it runs the watchdog where there is no shell. */
  python?: string;
}

/** What an incarnation borrows from its owner. `folder` takes the connection files. */
export interface IncarnationHost {
  folder: string;
  watchdog: Watchdog;
  startTimeout: number;
  onMessage(message: KernelMessage): void;
}

/** One process of a kernel with its channels. `exited` resolves when everything that it sent was delivered. */
export interface Incarnation {
  readonly pid: number;
  readonly exited: Promise<KernelExit>;
  send(message: KernelMessage): void;
  beat(timeout: number): Promise<boolean>;
  interrupt(): void;
  shutdown(restart: boolean): Promise<void>;
}

/** Milliseconds from the request to SIGTERM, and from there to SIGKILL. */
const POLITE = 2000;
const FIRM = 1000;
/** A kernel without one of its channels is of no use; it gets this long to end by itself. Milliseconds. */
const BROKEN = 2000;
/** A process that has ended closes its sockets at once, unless a child of it still holds them. Milliseconds. */
const LAST_MESSAGES = 250;

/** Starts a kernel's process and waits until it is ready. Throws `kernel_start_failed`, or the signal's reason. */
export async function startIncarnation(
  launch: Launch,
  host: IncarnationHost,
  signal?: AbortSignal,
): Promise<Incarnation> {
  const session = randomUUID();
  const kernel = launch.spec.name;
  const connection = connect(launch, host);
  let child: KernelProcess;
  try {
    const argv = launch.argv.map((word) => word.replaceAll("{connection_file}", connection.path));
    child = spawnKernel({ kernel, argv, cwd: launch.cwd, env: launch.env });
  } catch (error) {
    connection.remove();
    throw error;
  }
  host.watchdog.guard(child.pid, launch.python);
  const own = new OwnRequests();
  const listeners = new Set<(message: KernelMessage) => void>();
  const channels = new KernelChannels(connection, session, (message) => {
    for (const listener of listeners) listener(message);
    if (!own.answeredBy(message)) host.onMessage(message);
  });
  const exited = child.exited.then((exit) => end(exit, child, channels, connection, host));
  const probe = {
    own,
    send: (message: KernelMessage) => channels.send(message),
    subscribe: (listener: (message: KernelMessage) => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  const info = await readyOrEnded(kernel, { probe, session, channels, exited, child }, host.startTimeout, signal);
  const cell = startUpCell(info, session);
  if (cell) channels.send(own.note(cell));
  channels.broken.then(() => endWithin(exited, BROKEN).then((ended) => ended || child.signalGroup("SIGKILL")));
  return {
    pid: child.pid,
    exited,
    send: (message) => channels.send(message),
    beat: (timeout) => channels.beat(timeout),
    interrupt() {
      if (launch.spec.interruptMode === "signal") child.signalGroup("SIGINT");
      else channels.send(makeMessage("control", "interrupt_request", {}, session));
    },
    async shutdown(restart) {
      channels.send(makeMessage("control", "shutdown_request", { restart }, session));
      if (await endWithin(exited, POLITE)) return;
      child.signalGroup("SIGTERM");
      if (await endWithin(exited, FIRM)) return;
      child.signalGroup("SIGKILL");
      await exited;
    },
  };
}

function connect(launch: Launch, host: IncarnationHost): Connection {
  try {
    const id = randomUUID().slice(0, 8);
    return writeConnectionFile(host.folder, id, launch.spec.name, launch.transport);
  } catch (error) {
    throw startRefused(launch.spec.name, error);
  }
}

async function end(
  exit: KernelExit,
  child: KernelProcess,
  channels: KernelChannels,
  connection: Connection,
  host: IncarnationHost,
): Promise<KernelExit> {
  await endWithin(channels.ended, LAST_MESSAGES);
  channels.close();
  connection.remove();
  host.watchdog.release(child.pid);
  return exit;
}

interface Starting {
  probe: Parameters<typeof awaitReady>[0];
  session: string;
  channels: KernelChannels;
  exited: Promise<KernelExit>;
  child: KernelProcess;
}

/** Waits for readiness; when it does not come the process is killed and gone before the error is thrown. */
async function readyOrEnded(
  kernel: string,
  starting: Starting,
  timeout: number,
  signal?: AbortSignal,
): Promise<KernelMessage> {
  const stop = new AbortController();
  const tooLong = () => stop.abort(kernelStartFailed(kernel, `did not answer within ${timeout / 1000} s`));
  const timer = setTimeout(tooLong, timeout);
  const abort = () => stop.abort(signal?.reason);
  signal?.addEventListener("abort", abort, { once: true });
  if (signal?.aborted) abort();
  starting.exited.then((exit) =>
    stop.abort(kernelStartFailed(kernel, `${describeExit(exit)} while starting`, { exit })),
  );
  starting.channels.broken.then((reason) => reason && stop.abort(reason));
  try {
    return await awaitReady(starting.probe, starting.session, stop.signal);
  } catch (error) {
    starting.child.signalGroup("SIGKILL");
    await starting.exited;
    throw error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

async function endWithin(what: Promise<unknown>, milliseconds: number): Promise<boolean> {
  let timer: Timer | undefined;
  const limit = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), milliseconds);
  });
  const ended = await Promise.race([what.then(() => true), limit]);
  clearTimeout(timer);
  return ended;
}
