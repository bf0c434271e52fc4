import type { KernelMessage } from "@jupyterlab/services";
import { errorCode, errorMessage } from "../errors.ts";
import { logLine } from "../log.ts";
import type { Execution, ExecutionEnd } from "./execution.ts";
import type { PythonKernel } from "./python-kernel.ts";

/** How a cell ended: its execution's end, and what was done to it. */
export interface CellEnd extends ExecutionEnd {
  /** The caller's signal aborted while it ran, and an interrupt was sent for that. */
  interrupted: boolean;
  /** The interrupt was not obeyed within the grace; the kernel still runs the cell and has to be replaced. */
  unresponsive: boolean;
  stdinRequested: boolean;
}

/** What happens while a cell runs. */
export interface CellListener {
  /** The request went out under this message id. */
  onSent?(id: string): void;
  onOutput(message: KernelMessage.IIOPubMessage): void;
  /** What the cell shows in a pager (`name?`), as a `display_data` message. */
  onPage?(message: KernelMessage.IIOPubMessage): void;
  /** The first request for input, with its prompt. */
  onStdin(prompt: string): void;
}

/** A kernel that is still busy after this gets the interrupt as a message too; both at once break the user's cleanup. */
const SECOND_INTERRUPT_MS = 1_000;
/** From the interrupt until the kernel is given up. */
const INTERRUPT_GRACE_MS = 5_000;
/** A program that goes on asking after so many empty answers is interrupted. */
const MOST_INPUT_REQUESTS = 20;

/** Those of `code.interact()`, in Python and under IPython. */
const CONSOLE_PROMPTS = new Set([">>>", "In :"]);

/** Runs one cell to its end. An aborted `signal` interrupts it; the end is then what the kernel made of that. */
export async function runCell(
  kernel: PythonKernel,
  code: string,
  signal: AbortSignal,
  listener: CellListener,
  options: { silent?: boolean } = {},
): Promise<CellEnd> {
  const input = { requests: 0 };
  const stop = new AbortController();
  const onInput = (request: KernelMessage.IInputRequestMsg) => {
    input.requests++;
    if (input.requests === 1) listener.onStdin(request.content.prompt);
    if (input.requests > MOST_INPUT_REQUESTS) stop.abort();
    else kernel.replyInput(request, answerFor(request.content.prompt, input.requests));
  };
  const execution = kernel.execute(code, { onOutput: listener.onOutput, onPage: listener.onPage, onInput }, options);
  listener.onSent?.(execution.id);
  const cancelled = AbortSignal.any([signal, stop.signal]);
  const interrupting = interruptOnAbort(kernel, execution, cancelled);
  const end = await execution.done;
  const { sent, unresponsive } = await interrupting.finished();
  return { ...end, interrupted: sent && signal.aborted, unresponsive, stdinRequested: input.requests > 0 };
}

/** An empty line; a debugger or a console that asks again is told to end, because an empty line makes it ask for ever. */
function answerFor(prompt: string, count: number): string {
  if (count > 1 && /^\(?i?pdb\)?>? *$/i.test(prompt.trim())) return "q";
  return count > 1 && CONSOLE_PROMPTS.has(prompt.trim()) ? "raise SystemExit(1)" : "";
}

/**
 * Interrupts when the signal aborts: the gateway's way, then by message, then gives the execution up, or the connection where
 * no gateway answers. `finished` resolves when nothing of it can reach the next cell any more.
 */
function interruptOnAbort(kernel: PythonKernel, execution: Execution, signal: AbortSignal) {
  let work: Promise<unknown> | undefined;
  let unresponsive = false;
  const interrupt = async () => {
    let answered = false;
    const asked = kernel.interrupt().then(
      () => {
        answered = true;
      },
      (error) => {
        logLine(`interrupt failed: ${errorMessage(error)}`);
        answered = errorCode(error) !== "gateway_unreachable";
      },
    );
    const sent = [asked];
    if (!(await settlesWithin(execution.done, SECOND_INTERRUPT_MS))) {
      sent.push(kernel.interruptByMessage());
      unresponsive = !(await settlesWithin(execution.done, INTERRUPT_GRACE_MS - SECOND_INTERRUPT_MS));
    }
    if (!unresponsive) await settlesWithin(Promise.all(sent), SECOND_INTERRUPT_MS);
    else if (answered) execution.abandon();
    else {
      // Nobody knows what the kernel does; it is asked for by the next call.
      unresponsive = false;
      kernel.loseConnection(true);
    }
  };
  const onAbort = () => {
    if (!execution.ended) work = interrupt();
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  return {
    async finished(): Promise<{ sent: boolean; unresponsive: boolean }> {
      signal.removeEventListener("abort", onAbort);
      await work;
      return { sent: work !== undefined, unresponsive };
    },
  };
}

async function settlesWithin(what: Promise<unknown>, milliseconds: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const limit = setTimeout(resolve, milliseconds, false);
  try {
    return await Promise.race([what.then(() => true), promise]);
  } finally {
    clearTimeout(limit);
  }
}
