import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { errorMessage, invalidInput } from "../errors.ts";
import { logLine } from "../log.ts";
import { realNotebookPath } from "../notebook/notebook-path.ts";
import type { Client } from "../tools/client.ts";
import { resultOfError } from "../tools/result.ts";
import type { ToolResult } from "../tools/tool.ts";
import { callOptions, READER_GONE } from "./call-command.ts";
import { EXIT, failureStatus, type Invocation } from "./command.ts";
import { connect } from "./connect.ts";
import { onInterrupt } from "./interrupt.ts";
import { openRunView } from "./open-run-view.ts";
import { readJobs, readRunInput } from "./run-input.ts";
import { RunProgress, type RunView } from "./run-progress.ts";
import { formatReport, REPORT_FORMATS, type ReportedRun } from "./run-report.ts";
import { writeJson, writeOut } from "./standard-output.ts";

/** Nobody calls for so long; the kernel of a watched notebook waits for the next change. */
const WATCH_SECONDS = 30 * 24 * 3600;

/** `nuthatch run <notebook...>`: runs notebooks and shows them run. Each has a kernel of its own, which ends with the run. */
export async function runNotebooks(given: Invocation): Promise<number> {
  const invocation = { ...given, positionals: nameOnce(given) };
  const input = readRunInput(invocation);
  const jobs = Math.min(readJobs(invocation), invocation.positionals.length);
  const report = readReport(invocation);
  const own = withOwnKernels(invocation, jobs);
  const client = await connect(own, "run_notebook");
  const abort = new AbortController();
  const release = onInterrupt(() => abort.abort());
  const toOutput = report?.path === undefined && report !== undefined;
  const { view, close } = await openRunView(own, { jobs, toError: toOutput, onGone: () => abort.abort(READER_GONE) });
  try {
    const batch = new RunBatch({ client, invocation: own, view, input, abort });
    const runs = await batch.runAll(jobs);
    if (invocation.json) for (const { result } of runs) writeJson(result);
    if (invocation.switches.has("watch")) await batch.watch();
    await close();
    if (report !== undefined) writeReport(report, runs, invocation.cwd);
    return statusOf(runs, abort.signal);
  } finally {
    await close();
    release();
    await client.dispose();
  }
}

/** What runs several notebooks with one client. */
class RunBatch {
  constructor(
    private readonly parts: {
      client: Client;
      invocation: Invocation;
      view: RunView;
      input: Record<string, unknown>;
      abort: AbortController;
    },
  ) {}

  /** Runs all, some at once; when it was interrupted, the rest is not begun. */
  async runAll(jobs: number): Promise<ReportedRun[]> {
    const { invocation, abort } = this.parts;
    const paths = [...invocation.positionals.entries()];
    const runs: ReportedRun[] = [];
    const work = async () => {
      for (let next = paths.shift(); next !== undefined && !abort.signal.aborted; next = paths.shift()) {
        runs[next[0]] = await this.run(next[1], this.parts.input);
      }
    };
    await Promise.all(Array.from({ length: jobs }, work));
    return runs.filter((run) => run !== undefined);
  }

  async watch(): Promise<void> {
    const { invocation, abort } = this.parts;
    const { NotebookWatch } = await import("./watch-notebooks.ts");
    using watch = new NotebookWatch(invocation.positionals, invocation.cwd);
    for (const path of invocation.positionals) await watch.know(path);
    logLine("watching for changes; Ctrl-C ends it");
    for (let path = await watch.next(abort.signal); path !== undefined; path = await watch.next(abort.signal)) {
      await watch.know(path);
      const { parameters: _, cells: __, restart: ___, ...input } = this.parts.input;
      const { result } = await this.run(path, (await this.#isLive(path)) ? { ...input, cells: "stale" } : input);
      if (invocation.json) writeJson(result);
    }
  }

  async run(path: string, input: Record<string, unknown>): Promise<ReportedRun> {
    const { client, invocation, view, abort } = this.parts;
    const progress = new RunProgress(path, invocation.cwd, view);
    const options = { ...callOptions(invocation, abort.signal), onUpdate: progress.update.bind(progress) };
    const result = await client
      .callTool("run_notebook", { ...input, notebook_path: path }, options)
      .catch((error) => resultOfError(error));
    const durationMs = performance.now() - progress.startedAt;
    if (!invocation.switches.has("watch") && invocation.session === undefined) await this.#stop(result);
    await progress.end(result);
    return { path, durationMs, result };
  }

  /** The kernel of a notebook that has run is needed no more. */
  async #stop({ details }: ToolResult): Promise<void> {
    const { client, invocation } = this.parts;
    if (typeof details.session !== "string") return;
    const input = { action: "stop", name: details.session };
    await client.callTool("sessions", input, callOptions(invocation, new AbortController().signal));
  }

  /** Whether the notebook's kernel still has what its cells left. */
  async #isLive(path: string): Promise<boolean> {
    const { client, invocation, abort } = this.parts;
    const { details } = await client.callTool("sessions", { action: "list" }, callOptions(invocation, abort.signal));
    const sessions = (details.sessions ?? []) as { name: string; status: string }[];
    const names = [invocation.session, realNotebookPath(path, invocation.cwd)];
    return sessions.some(({ name, status }) => names.includes(name) && status !== "dead");
  }
}

/** The notebooks without those that another word has named. */
function nameOnce({ positionals, cwd }: Invocation): string[] {
  const words = Map.groupBy(positionals, (path) => realNotebookPath(path, cwd));
  return [...words.values()].map(([first]) => first as string);
}

/** Without `--session` the kernels are this process's own, as many as there are jobs, and end with it. */
function withOwnKernels(invocation: Invocation, jobs: number): Invocation {
  if (invocation.session !== undefined) return invocation;
  const { settings, positionals, switches } = invocation;
  const watching = switches.has("watch");
  const maxSessions = Math.max(settings.maxSessions, watching ? positionals.length : jobs);
  const idleTimeout = watching ? WATCH_SECONDS : settings.idleTimeout;
  return { ...invocation, inProcess: true, settings: { ...settings, maxSessions, idleTimeout, warmKernels: 0 } };
}

interface ReportTarget {
  format: (typeof REPORT_FORMATS)[number];
  path: string | undefined;
}

function readReport({ values, json }: Invocation): ReportTarget | undefined {
  const { report, "report-file": path } = values;
  if (report === undefined) {
    if (path !== undefined) throw invalidInput("--report-file needs --report junit or --report json", "report");
    return undefined;
  }
  const format = REPORT_FORMATS.find((known) => known === report);
  if (format === undefined)
    throw invalidInput(`report must be ${REPORT_FORMATS.join(" or ")}, not ${report}`, "report");
  if (json && path === undefined)
    throw invalidInput("--json and --report both go to standard output", "report", "give --report-file");
  return { format, path };
}

function writeReport({ format, path }: ReportTarget, runs: readonly ReportedRun[], cwd: string): void {
  const text = formatReport(format, runs);
  if (path === undefined) {
    writeOut(text);
    return;
  }
  const file = resolve(cwd, path);
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  } catch (error) {
    throw invalidInput(`cannot write ${path}: ${errorMessage(error)}`, "report-file");
  }
}

function statusOf(runs: readonly ReportedRun[], signal: AbortSignal): number {
  if (signal.aborted) return signal.reason === READER_GONE ? EXIT.done : EXIT.interrupted;
  const failed = runs.filter(({ result }) => result.isError);
  return Math.max(EXIT.done, ...failed.map(({ result }) => failureStatus(result.details.code)));
}
