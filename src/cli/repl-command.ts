import { invalidInput } from "../errors.ts";
import type { SessionInfo } from "../execute/executor.ts";
import { realNotebookPath } from "../notebook/notebook-path.ts";
import { cleanName, cleanText } from "../render/clean.ts";
import { findLanguage } from "../render/highlight.ts";
import type { Client, SessionClient } from "../tools/client.ts";
import type { CallOptions, ToolResult } from "../tools/tool.ts";
import { callOptions } from "./call-command.ts";
import { EXIT, type Invocation } from "./command.ts";
import { connect } from "./connect.ts";
import { openTerminal } from "./open-terminal.ts";
import { loadOutputRendering } from "./output-rendering.ts";
import { InputHistory } from "./repl/input-history.ts";
import { KeyReader } from "./repl/key-reader.ts";
import { ReplInput } from "./repl/repl-input.ts";
import { ReplScreen } from "./repl/repl-screen.ts";
import { SessionFeed } from "./repl/session-feed.ts";

/** Seconds that one question for the end of a run waits. */
const WAIT = 600;
/** What the tool runs says of a run after its text. */
const RUN_LINE = /\[run \w+: [^\]]*\]\n$/;

/** `nuthatch repl [session]`: a terminal beside an agent, in its session; or in the folder's own. */
export async function runRepl(invocation: Invocation): Promise<number> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    throw invalidInput(
      "nuthatch repl needs a terminal",
      "repl",
      "nuthatch python runs code from a file or standard input",
    );
  }
  const client = await connect(invocation, "python");
  const leaving = new AbortController();
  try {
    const session = await findSession(client, invocation);
    await new Repl(client, session, leaving).run(invocation);
    return EXIT.done;
  } finally {
    leaving.abort();
    await client.dispose();
  }
}

/** Which session, what is known of it, and how calls reach it. */
interface ReplSession {
  name: string;
  live: SessionInfo | undefined;
  options: CallOptions;
}

/**
 * A word that names no session may be the path of a folder or a notebook that does. A live session keeps the kernel and the
 * interpreter that it has, whatever this terminal's would be.
 */
async function findSession(client: Client, invocation: Invocation): Promise<ReplSession> {
  const wanted = invocation.positionals[0] ?? invocation.session;
  const options = callOptions(invocation, new AbortController().signal);
  const { details } = await client.callTool("sessions", { action: "list" }, options);
  const names = wanted === undefined ? [invocation.cwd] : [wanted, realNotebookPath(wanted, invocation.cwd)];
  const sessions = (details.sessions ?? []) as SessionInfo[];
  const live = names.flatMap((name) => sessions.filter((one) => one.name === name))[0];
  const name = live?.name ?? (names[0] as string);
  const named = wanted === undefined ? {} : { session: name };
  if (live === undefined) return { name, live, options: { ...options, ...named } };
  const { VIRTUAL_ENV: _, CONDA_PREFIX: __, ...environment } = options.environment;
  const { python: ___, ...settings } = { ...options.settings, kernel: "auto" };
  return { name, live, options: { ...options, ...named, environment, settings } };
}

class Repl {
  readonly #questions: SessionClient;
  /** Runs of this terminal that have not ended. */
  readonly #own = new Set<string>();
  readonly #title = `repl ${process.pid}`;
  #language: string;

  constructor(
    private readonly client: Client,
    private readonly session: ReplSession,
    private readonly leaving: AbortController,
  ) {
    this.#questions = client.session(session.name);
    this.#language = languageOf(session.live?.kernel);
  }

  async run(invocation: Invocation): Promise<void> {
    const terminal = await openTerminal(invocation);
    const { renderers } = await loadOutputRendering(invocation);
    const history = new InputHistory(invocation.directories.state);
    const feed = new SessionFeed({
      registry: renderers,
      ownTitle: this.#title,
      onEnded: (view) => screen.printView(view),
    });
    const input = new ReplInput(history, this.#questions, {
      submit: (code) => void this.#submit(code, feed, screen),
      interrupt: () => void this.#interrupt(),
      leave: () => this.leaving.abort(),
      clear: () => screen.clear(),
      isBusy: () => feed.running.length > 0 || this.#own.size > 0,
    });
    const screen = new ReplScreen(terminal, invocation, () => ({
      running: feed.running,
      input: (context) => (this.leaving.signal.aborted ? [] : input.render(this.#language, context)),
    }));
    try {
      // Before the prompt is seen: what is typed into a terminal that is not raw yet comes with other line ends.
      const reading = this.#readKeys(input, screen);
      screen.print(this.#greeting());
      screen.draw();
      const watching = this.#questions.watch((event) => {
        feed.take(event);
        this.#language = event.details.kernel === null ? this.#language : languageOf(event.details.kernel);
        screen.draw();
      }, this.leaving.signal);
      await Promise.all([reading, watching.catch((error) => this.#fail(error))]);
    } finally {
      await screen.close();
    }
  }

  #greeting(): string[] {
    const { name, live } = this.session;
    const what = live === undefined ? "a new session" : `${live.kernel ?? "no kernel"}, ${live.status}`;
    return [
      `${cleanName(name)} (${cleanName(what)}). Alt-Enter new line, Tab completes, Shift-Tab tells, Ctrl-C interrupts, Ctrl-D leaves`,
    ];
  }

  /** Keys one after another, each when the one before has done what it does. */
  async #readKeys(input: ReplInput, screen: ReplScreen): Promise<void> {
    const { stdin } = process;
    const reader = new KeyReader();
    const { promise: left, resolve: leave } = Promise.withResolvers<void>();
    let work: Promise<void> = Promise.resolve();
    const onData = (chunk: Buffer) => {
      for (const key of reader.read(chunk)) {
        work = work.then(() => input.press(key)).then(() => screen.draw());
      }
    };
    this.leaving.signal.addEventListener("abort", () => leave(), { once: true });
    stdin.setRawMode(true).on("data", onData).resume();
    stdin.once("end", () => this.leaving.abort());
    try {
      await left;
      await work;
    } finally {
      stdin.off("data", onData).pause().setRawMode(false);
    }
  }

  /** Runs code with no limit of time; how it goes comes by the watch, its result with its pictures in the end. */
  async #submit(code: string, feed: SessionFeed, screen: ReplScreen): Promise<void> {
    const cells = [{ code, title: this.#title }];
    const started = await this.client.callTool("python", { cells, background: true }, this.session.options);
    const { runId } = started.details;
    if (typeof runId !== "string") return screen.print(textOf(started));
    this.#own.add(runId);
    const { result } = await this.#awaitRun(runId);
    this.#own.delete(runId);
    if (result.details.code === undefined) feed.takeResult(result);
    else screen.print(textOf(result));
    screen.draw();
  }

  async #awaitRun(runId: string): Promise<{ result: ToolResult }> {
    for (;;) {
      const input = { action: "wait", run_id: runId, wait: WAIT };
      const answer = await this.client.callTool("runs", input, this.session.options);
      if (answer.details.status === "running") continue;
      const details = (answer.details.result ?? answer.details) as ToolResult["details"];
      const content = answer.content.map((block) =>
        block.type === "text" ? { ...block, text: block.text.replace(RUN_LINE, "") } : block,
      );
      return { result: { ...answer, content, details } };
    }
  }

  /** The own runs first; where there is none, whatever runs in the session. */
  async #interrupt(): Promise<void> {
    const runId = [...this.#own].at(-1);
    if (runId === undefined) await this.#questions.interrupt().catch(() => {});
    else await this.client.callTool("runs", { action: "interrupt", run_id: runId }, this.session.options);
  }

  #fail(error: unknown): void {
    const wasLeaving = this.leaving.signal.aborted;
    this.leaving.abort();
    if (!wasLeaving) throw error;
  }
}

function languageOf(kernel: string | null | undefined): string {
  return findLanguage(kernel ?? "python") ?? "python";
}

function textOf({ content }: ToolResult): string[] {
  const text = content.map((block) => (block.type === "text" ? block.text : "")).join("");
  return cleanText(text, false).trimEnd().split("\n");
}
