// Runs code in kernels behind one Jupyter gateway. Open from the start; `dispose` ends every session and is idempotent.
// Whoever created it disposes it, and after it the gateway.

import { join } from "node:path";
import { ArtifactStore } from "../output/artifacts.ts";
import type { ArtifactLimits } from "../output/expired-artifacts.ts";
import type { Directories } from "../paths.ts";
import { askKernel, type KernelQuestions } from "./ask-kernel.ts";
import type { CallContext } from "./call-context.ts";
import { type CallPlugins, noPlugins } from "./call-plugins.ts";
import { GatewayClient } from "./gateway-client.ts";
import type { GatewaySettings } from "./gateway-settings.ts";
import type { KernelSession, SessionRequest } from "./kernel-session.ts";
import type { PythonRequest, PythonResult, RunOptions } from "./model.ts";
import type { NotebookRequest, NotebookResult, NotebookRunOptions } from "./notebook-model.ts";
import { type FoundModules, preludeFor } from "./prelude.ts";
import { runPythonCall } from "./python-call.ts";
import { runNotebook } from "./run-notebook.ts";
import type { SessionLedger } from "./session-ledger.ts";
import type { SessionTiming } from "./session-pool.ts";
import { SessionRecords } from "./session-record.ts";
import { type SessionListener, SessionWatchers } from "./session-watchers.ts";
import { KernelSessions } from "./sessions.ts";

/** What an executor is made with. */
export interface ExecutorOptions {
  gateway: GatewaySettings;
  directories: Directories;
  /** How long artifacts are kept, and how many; without limits all are. */
  artifactLimits?: ArtifactLimits;
  /** The user's modules for sessions of a folder; none where it is absent. */
  modules?(cwd: string): FoundModules;
  /** The plugins for a call; none where it is absent. Must not reject. */
  plugins?(request: SessionRequest): Promise<CallPlugins>;
  /** Notes the live sessions for the process after this one; without it they are forgotten. */
  ledger?: SessionLedger;
  timing?: Partial<SessionTiming>;
}

/** A live session, as `nuthatch sessions list --json` prints it. */
export interface SessionInfo {
  name: string;
  cwd: string;
  kernel: string | null;
  pid: number | null;
  /** `unresponsive`: busy, and its heartbeat is not answered; a stopped process or a long call into C. */
  status: "idle" | "busy" | "unresponsive" | "dead";
  lastUsedAt: string;
}

export interface Executor extends AsyncDisposable {
  /** Runs the cells of a `python` call. Rejects only when no kernel could be had; a failed cell is a result. */
  run(request: PythonRequest, options: RunOptions): Promise<PythonResult>;
  /** Runs cells of a notebook and writes their outputs into the file. Rejects when it cannot begin. */
  runNotebook(request: NotebookRequest, options: NotebookRunOptions): Promise<NotebookResult>;
  listSessions(): SessionInfo[];
  interruptSession(name: string): Promise<void>;
  restartSession(name: string): Promise<void>;
  stopSession(name: string): Promise<void>;
  /** Hears the calls of a session, which need not be there yet; returns the way to stop. */
  watchSession(name: string, listener: SessionListener): () => void;
  /** Asks a live session's kernel about code. Throws `session_not_found`. */
  askSession(name: string): KernelQuestions;
  disposeOwner(owner: string): Promise<void>;
  dispose(): Promise<void>;
}

export function createExecutor(options: ExecutorOptions): Executor {
  const client = new GatewayClient(options.gateway);
  const { state } = options.directories;
  const artifacts = new ArtifactStore(join(state, "artifacts"), options.artifactLimits);
  const records = new SessionRecords(join(state, "sessions"), artifacts);
  const plugins = options.plugins ?? (async () => noPlugins());
  const { directories, gateway, modules, ledger } = options;
  const preludes = { runtimeDirectory: directories.runtime, local: gateway.local, ...(modules ? { modules } : {}) };
  const prelude = (request: SessionRequest) => preludeFor(request, preludes);
  const started = (session: KernelSession) => {
    const lives = session.request.settings.kernelMode === "session";
    const leave = lives ? ledger?.enter(gateway.baseUrl, session.key) : undefined;
    const tellEnd = tellPlugins(plugins, session);
    return () => {
      leave?.();
      return tellEnd();
    };
  };
  const endings = ledger?.lostOn(gateway.baseUrl);
  const sessions = new KernelSessions({ client, records, prelude, started }, options.timing, endings);
  const watchers = new SessionWatchers();
  const histories = join(state, "notebooks");
  const context = { client, sessions, records, watchers, artifacts, histories, plugins };
  const dispose = async () => {
    await sessions.disposeAll();
    await client.dispose();
  };
  return {
    run: (request, runOptions) => runPythonCall(context, request, runOptions),
    runNotebook: (request, runOptions) => runNotebook(context, request, runOptions),
    listSessions: () => [...sessions.kernelSessions.values()].map(describeSession),
    interruptSession: (name) => sessions.interrupt(name),
    restartSession: (name) => sessions.restart(name),
    stopSession: (name) => sessions.stop(name),
    watchSession: (name, listener) => watchers.watch(name, listener),
    askSession: (name) => askKernel(sessions.find(name).kernel?.connection),
    disposeOwner: (owner) => sessions.disposeOwner(owner),
    dispose,
    [Symbol.asyncDispose]: dispose,
  };
}

/** Tells the plugins that a session began; what it returns tells them that it ended. */
function tellPlugins(plugins: CallContext["plugins"], session: KernelSession): () => Promise<void> {
  const event = { session: session.name, cwd: session.request.cwd };
  const kernel = session.kernel?.name ?? "";
  const told = plugins(session.request).then(({ hooks }) => hooks.notify("sessionStart", { ...event, kernel }));
  return async () => {
    await told;
    const { hooks } = await plugins(session.request);
    await hooks.notify("sessionEnd", event);
  };
}

function describeSession(session: KernelSession): SessionInfo {
  return {
    name: session.name,
    cwd: session.request.cwd,
    kernel: session.kernel?.name ?? null,
    pid: session.kernel?.pid ?? null,
    status: describeStatus(session),
    lastUsedAt: session.lastUsedAt.toISOString(),
  };
}

function describeStatus({ kernel, busy }: KernelSession): SessionInfo["status"] {
  if (kernel?.dead !== undefined) return "dead";
  if (busy && kernel?.responding === false) return "unresponsive";
  return busy ? "busy" : "idle";
}
