// States: starting -> ready -> ended. `startIncarnation` owns what it made until it returns; then the process's end closes the
// channels and removes the connection file, whatever caused it. `shutdown` brings that end about.
import { randomUUID } from "node:crypto";
import { errorMessage } from "../errors.ts";
import { countOpenFiles } from "../open-files.ts";
import { type Connection, type Transport, writeConnectionFile } from "./connection-file.ts";
import { describeExit, descriptorsReserved, isOutOfDescriptors, kernelStartFailed, startRefused } from "./errors.ts";
import { KernelChannels } from "./kernel-channels.ts";
import { type KernelProcess, spawnKernel } from "./kernel-process.ts";
import type { KernelMessage } from "./message.ts";
import { makeMessage } from "./message-signer.ts";
import type { KernelExit, KernelSpec } from "./model.ts";
import { OwnRequests } from "./own-requests.ts";
import { awaitReady } from "./readiness.ts";
import { silentRequest, startUpCell } from "./start-up-cell.ts";
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

/** What a kernel borrows from its owner. `folder` takes the connection files; the times are in milliseconds. */
export interface IncarnationHost {
  folder: string;
  watchdog: Watchdog;
  startTimeout: number;
  /** Between the heartbeats of a busy kernel. */
  heartbeat: number;
  /** Open files that a process is not started with: its owner needs them. */
  reservedFiles: number;
  /** Processes that are ready already; without them each is started when it is asked for. */
  spares?: Starter;
}

/** Whatever starts incarnations: a process of its own each time, or one that is ready. Only the latter runs `prepare`. */
export interface Starter {
  start(
    launch: Launch,
    onMessage: (message: KernelMessage) => void,
    options: { signal?: AbortSignal | undefined; prepare?: string | undefined },
  ): Promise<Incarnation>;
}

/** One process of a kernel with its channels, ready for requests. */
export interface Incarnation {
  readonly pid: number;
  /** Resolves when the process has ended and everything that it sent was delivered. */
  readonly exited: Promise<KernelExit>;
  /** What it replied to `kernel_info_request` when it was found ready. */
  readonly info: KernelMessage;
  /** What it was started with runs before all that it is sent. */
  readonly prepared?: boolean;
  send(message: KernelMessage): void;
  /** Runs code of ours, unseen by the clients; false when it failed or took longer than `timeout` milliseconds. */
  run(code: string, timeout: number): Promise<boolean>;
  beat(timeout: number): Promise<boolean>;
  interrupt(): void;
  shutdown(restart: boolean): Promise<void>;
}

interface Running {
  session: string;
  child: KernelProcess;
  channels: KernelChannels;
  exited: Promise<KernelExit>;
}

/** Milliseconds from the request to SIGTERM, and from there to SIGKILL. */
const POLITE = 2000;
const FIRM = 1000;
/** A kernel without one of its channels is of no use; it gets this long to end by itself. Milliseconds. */
const BROKEN = 2000;
/** A process that has ended closes its sockets at once, unless a child of it still holds them. Milliseconds. */
const LAST_MESSAGES = 250;

/** What a process takes: its sockets, the pipes of its output, its end, and a connection file for a moment. */
const FILES = 8;

/** A port that was free may be taken before the kernel binds it; it says so in these words of its system or library. */
const PORT_TAKEN = /address already in use|EADDRINUSE/i;

/**
 * Starts a kernel's process and waits until it is ready. `onMessage` gets what it sends from then on, except for answers to our
 * own requests. Throws `kernel_start_failed`, `too_many_open_files`, or the signal's reason.
 */
export async function startIncarnation(
  launch: Launch,
  host: IncarnationHost,
  onMessage: (message: KernelMessage) => void,
  signal?: AbortSignal,
): Promise<Incarnation> {
  const own = new OwnRequests();
  const start = () => runUntilReady(launch, host, own, signal);
  const { running, reply } = await start().catch((error) => {
    if (launch.transport === "tcp" && PORT_TAKEN.test(errorMessage(error))) return start();
    throw error;
  });
  const { session, channels, child, exited } = running;
  channels.subscribe((message) => own.answeredBy(message) || onMessage(message));
  channels.broken.then(() => killUnlessEnded(child, exited, BROKEN));
  // An ipykernel takes 10 ms for its first cell, whichever that is; nobody has to wait for it who has no cell yet.
  let cell = startUpCell(reply, session);
  const send = (message: KernelMessage) => {
    if (cell && message.header.msg_type === "execute_request") {
      channels.send(own.note(cell));
      cell = undefined;
    }
    channels.send(message);
  };
  return {
    pid: child.pid,
    exited,
    info: reply,
    send,
    run: (code, timeout) => runOwn(own.note(silentRequest(code, session)), running, send, timeout),
    beat: (timeout) => channels.beat(timeout),
    interrupt: () => interrupt(launch.spec, running),
    shutdown: (restart) => shutDown(running, restart),
  };
}

async function runUntilReady(launch: Launch, host: IncarnationHost, own: OwnRequests, signal?: AbortSignal) {
  const running = run(launch, host);
  const reply = await readyOrEnded(launch.spec.name, running, own, host.startTimeout, signal);
  return { running, reply };
}

function run(launch: Launch, host: IncarnationHost): Running {
  requireFiles(host.reservedFiles);
  const kernel = launch.spec.name;
  const session = randomUUID();
  const connection = connect(launch, host);
  let child: KernelProcess | undefined;
  try {
    launch.spec.deliver?.();
    const argv = launch.argv.map((word) => word.replaceAll("{connection_file}", connection.path));
    child = spawnKernel({ kernel, argv, cwd: launch.cwd, env: launch.env });
    host.watchdog.guard(child.pid, launch.python);
  } catch (error) {
    child?.signalGroup("SIGKILL");
    connection.remove();
    throw error;
  }
  const channels = new KernelChannels(connection, session);
  const exited = cleanUpAfter(child, channels, connection, host);
  return { session, child, channels, exited };
}

/** A process that took the last file would leave none for a client to be heard with. */
function requireFiles(reserved: number): void {
  const files = reserved > 0 ? countOpenFiles() : undefined;
  if (files && files.limit - files.open < FILES + reserved) throw descriptorsReserved(files);
}

async function cleanUpAfter(
  child: KernelProcess,
  channels: KernelChannels,
  connection: Connection,
  host: IncarnationHost,
): Promise<KernelExit> {
  const exit = await child.exited;
  channels.stopConnecting();
  await endsWithin(channels.ended, LAST_MESSAGES);
  channels.close();
  connection.remove();
  host.watchdog.release(child.pid);
  return exit;
}

function connect(launch: Launch, host: IncarnationHost): Connection {
  try {
    return writeConnectionFile(host.folder, randomUUID().slice(0, 8), launch.spec.name, launch.transport);
  } catch (error) {
    throw startRefused(launch.spec.name, error);
  }
}

/** Waits for readiness; when it does not come the process is killed and gone before the error is thrown. */
async function readyOrEnded(
  kernel: string,
  { session, channels, child, exited }: Running,
  own: OwnRequests,
  timeout: number,
  signal?: AbortSignal,
): Promise<KernelMessage> {
  const stop = new AbortController();
  const silent = `did not answer within ${timeout / 1000} s`;
  const timer = setTimeout(() => stop.abort(kernelStartFailed(kernel, silent)), timeout);
  exited.then((exit) => stop.abort(kernelStartFailed(kernel, `${describeExit(exit)} while starting`, { exit })));
  channels.broken.then(async (reason) => {
    if (isOutOfDescriptors(reason?.cause)) return stop.abort(reason?.cause);
    // The exit of the process, if it comes, says more than the end of its channels.
    const what = `ended its channels while starting${reason ? `: ${reason.message}` : ""}`;
    if (!(await endsWithin(exited, BROKEN))) stop.abort(kernelStartFailed(kernel, what, { cause: reason }));
  });
  try {
    return await awaitReady(channels, own, session, signal ? AbortSignal.any([signal, stop.signal]) : stop.signal);
  } catch (error) {
    child.signalGroup("SIGKILL");
    await exited;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function runOwn(
  request: KernelMessage,
  { channels, exited }: Running,
  send: Incarnation["send"],
  timeout: number,
): Promise<boolean> {
  const done = Promise.withResolvers<boolean>();
  const unsubscribe = channels.subscribe(({ channel, parent_header, content }) => {
    if (channel === "shell" && parent_header.msg_id === request.header.msg_id) done.resolve(content.status === "ok");
  });
  send(request);
  const ended = exited.then(() => done.resolve(false));
  await endsWithin(Promise.race([done.promise, ended]), timeout);
  done.resolve(false);
  unsubscribe();
  return await done.promise;
}

function interrupt(spec: KernelSpec, { session, child, channels }: Running): void {
  if (spec.interruptMode === "signal") child.signalGroup("SIGINT");
  else channels.send(makeMessage("control", "interrupt_request", {}, session));
}

async function shutDown({ session, child, channels, exited }: Running, restart: boolean): Promise<void> {
  channels.send(makeMessage("control", "shutdown_request", { restart }, session));
  if (await endsWithin(exited, POLITE)) return;
  child.signalGroup("SIGTERM");
  await killUnlessEnded(child, exited, FIRM);
}

async function killUnlessEnded(child: KernelProcess, exited: Promise<KernelExit>, milliseconds: number): Promise<void> {
  if (await endsWithin(exited, milliseconds)) return;
  child.signalGroup("SIGKILL");
  await exited;
}

/** Whether something ended before so many milliseconds had passed; it goes on otherwise. */
export async function endsWithin(end: Promise<unknown>, milliseconds: number): Promise<boolean> {
  const limit = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => limit.resolve(false), milliseconds);
  const ended = await Promise.race([end.then(() => true), limit.promise]);
  clearTimeout(timer);
  return ended;
}
