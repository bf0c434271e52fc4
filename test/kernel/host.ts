import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createKernelProvider,
  type KernelProviderOptions,
  type LocalKernelProvider,
} from "../../src/kernel/kernel-provider.ts";
import type { KernelMessage } from "../../src/kernel/message.ts";
import { makeMessage } from "../../src/kernel/message-signer.ts";
import type { Kernel } from "../../src/kernel/model.ts";
import { findDirectories } from "../../src/paths.ts";

export const VENV = join(import.meta.dir, "../../.venv");

/** A temporary home with a provider and kernelspecs of its own. Disposing of it ends its kernels and removes it. */
export interface TestHost extends AsyncDisposable {
  home: string;
  provider: LocalKernelProvider;
  env: Record<string, string>;
  start(kernel: string, signal?: AbortSignal): Promise<Kernel>;
  addSpec(name: string, spec: Record<string, unknown>): void;
  /** The connection files and sockets that are there now. */
  connectionFiles(): string[];
}

/** Makes a host; `variables` are added to the inherited environment, in which no Python environment is active. */
export function createTestHost(
  variables: Record<string, string> = {},
  limits: Pick<KernelProviderOptions, "startTimeout" | "heartbeat"> = {},
): TestHost {
  const home = mkdtempSync(join(tmpdir(), "nuthatch-test-"));
  const { VIRTUAL_ENV: _, CONDA_PREFIX: __, ...inherited } = process.env as Record<string, string>;
  const env = { ...inherited, JUPYTER_PATH: join(home, "jupyter"), ...variables };
  const directories = findDirectories({ NUTHATCH_HOME: home });
  const provider = createKernelProvider({ directories, settings: {}, cwd: home, env, ...limits });
  return {
    home,
    provider,
    env,
    start: (kernel, signal) => provider.start({ kernel, cwd: home, env, ...(signal ? { signal } : {}) }),
    addSpec(name, spec) {
      const folder = join(home, "jupyter", "kernels", name);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "kernel.json"), JSON.stringify({ display_name: name, language: "python", ...spec }));
    },
    connectionFiles() {
      const all = readdirSync(directories.runtime, { recursive: true }) as string[];
      return all.filter((path) => /(^|\/)(kernel\.json|s-\d)$/.test(path));
    },
    async [Symbol.asyncDispose]() {
      await provider[Symbol.asyncDispose]();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** What one cell gave: its messages, the text of its streams and plain results, and how it ended. */
export interface CellRun {
  messages: KernelMessage[];
  text: string;
  status: string;
}

/**
 * Sends a cell. `stop_on_error` is off, because ipykernel 6 goes on refusing cells for some time after an error. `done` resolves when
 * its reply and its idle have come, or with status `dead` when the kernel died.
 */
export function sendCell(
  kernel: Kernel,
  code: string,
): { done: Promise<CellRun>; output: (text: string) => Promise<void> } {
  const content = {
    silent: false,
    store_history: true,
    user_expressions: {},
    allow_stdin: false,
    stop_on_error: false,
  };
  const request = makeMessage("shell", "execute_request", { code, ...content }, "test");
  const run: CellRun = { messages: [], text: "", status: "" };
  const done = Promise.withResolvers<CellRun>();
  const waiting: { text: string; resolve: () => void }[] = [];
  let idle = false;
  const unsubscribe = kernel.subscribe((message) => {
    const { msg_type: type } = message.header;
    const dead = type === "status" && message.content.execution_state === "dead";
    if (message.parent_header.msg_id !== request.header.msg_id && !dead) return;
    run.messages.push(message);
    run.text += textOf(message);
    for (const one of waiting) if (run.text.includes(one.text)) one.resolve();
    if (dead) run.status = "dead";
    if (type === "execute_reply") run.status = String(message.content.status);
    if (type === "status" && message.content.execution_state === "idle") idle = true;
    if (!dead && !(run.status && idle)) return;
    unsubscribe();
    done.resolve(run);
  });
  kernel.send(request);
  const output = (text: string) =>
    new Promise<void>((resolve) => {
      if (run.text.includes(text)) resolve();
      else waiting.push({ text, resolve });
    });
  return { done: done.promise, output };
}

/** Runs a cell to its end. */
export function runCell(kernel: Kernel, code: string): Promise<CellRun> {
  return sendCell(kernel, code).done;
}

/** Interrupts a cell until it ends: bash_kernel swallows a signal that comes while it handles output. */
export async function interruptCell(kernel: Kernel, cell: { done: Promise<CellRun> }): Promise<CellRun> {
  for (;;) {
    await kernel.interrupt();
    const run = await Promise.race([cell.done, Bun.sleep(1000)]);
    if (run) return run;
  }
}

/** Whether a process is there and not a zombie. */
export function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

/** Stops a process and waits until each of its threads has stopped. */
export async function stopProcess(pid: number): Promise<void> {
  process.kill(pid, "SIGSTOP");
  const state = (thread: string) => readFileSync(`/proc/${pid}/task/${thread}/stat`, "utf8").replace(/^.*\) /s, "")[0];
  await until(() => readdirSync(`/proc/${pid}/task`).every((thread) => state(thread) === "T"));
}

/** Waits, at most 10 s, until the condition holds. */
export async function until(condition: () => boolean): Promise<void> {
  const limit = Date.now() + 10_000;
  while (!condition()) {
    if (Date.now() > limit) throw new Error(`never true: ${condition}`);
    await Bun.sleep(5);
  }
}

function textOf(message: KernelMessage): string {
  if (message.header.msg_type === "stream") return String(message.content.text);
  const data = message.content.data as Record<string, unknown> | undefined;
  return data && "text/plain" in data ? String(data["text/plain"]) : "";
}
