// Runs in the background: running -> ended -> forgotten an hour later. The App owns the registry; its `dispose` cancels what
// runs, waits for it, and is idempotent.
import { invalidInput, NuthatchError } from "../errors.ts";
import { BackgroundRun, type RunOrigin, type Work } from "./background-run.ts";
import { resultOfError } from "./result.ts";
import type { ToolResult } from "./tool.ts";

/** How long the result of a run that has ended is kept, in milliseconds. */
const KEPT_MS = 3600 * 1000;
/** How long cancelled runs may take to end, in milliseconds; what is left then ends with its kernel. */
const DISPOSE_LIMIT_MS = 5000;

/** The runs of one App. `lifetime` says in the answer to a start how long they live; without one none can be started. */
export class RunRegistry {
  private readonly runs = new Map<string, BackgroundRun>();
  private disposed = false;

  constructor(private readonly lifetime: string | undefined) {}

  /** Starts a run and answers at once with its id. Throws `invalid_input` where nothing goes on after the call. */
  start(origin: RunOrigin, work: Work): ToolResult {
    if (this.disposed) throw new NuthatchError({ code: "shutting_down", message: "this process is ending" });
    if (this.lifetime === undefined) throw nothingGoesOn();
    this.forgetOld();
    const run = new BackgroundRun(origin, work, resultOfError);
    this.runs.set(run.id, run);
    const call = JSON.stringify({ action: "wait", run_id: run.id });
    const text = `Run ${run.id} started in the background; ${this.lifetime}. Follow it with the tool runs: ${call}\n`;
    return {
      content: [{ type: "text", text }],
      details: { runId: run.id, tool: origin.tool, title: origin.title, status: "running" },
      isError: false,
    };
  }

  /** Every run that is not forgotten, oldest first. */
  list(): BackgroundRun[] {
    this.forgetOld();
    return [...this.runs.values()];
  }

  /** Throws `run_not_found`. */
  find(id: string): BackgroundRun {
    const run = this.list().find((candidate) => candidate.id === id);
    if (run === undefined) throw runNotFound(id, [...this.runs.keys()]);
    return run;
  }

  /** How many are running, and how many have ended and are still kept. */
  count(): { running: number; ended: number } {
    const running = this.list().filter((run) => run.status === "running").length;
    return { running, ended: this.runs.size - running };
  }

  async dispose(): Promise<void> {
    this.disposed = true;
    for (const run of this.runs.values()) run.interrupt();
    const all = Promise.all([...this.runs.values()].map((run) => run.ended));
    await Promise.race([all, Bun.sleep(DISPOSE_LIMIT_MS)]);
  }

  private forgetOld(): void {
    for (const [id, run] of this.runs) if (run.age > KEPT_MS) this.runs.delete(id);
  }
}

function nothingGoesOn(): NuthatchError {
  const hint = "use the daemon (without --in-process, and with the gateway embedded), or nuthatch mcp";
  return invalidInput("background needs a process that goes on after the call", "background", hint);
}

function runNotFound(id: string, known: string[]): NuthatchError {
  return new NuthatchError({
    code: "run_not_found",
    message: `no run "${id}"; a run's result is kept for an hour`,
    hint: known.length === 0 ? "there are no runs" : `the runs are ${known.join(", ")}`,
    data: { runId: id },
  });
}
