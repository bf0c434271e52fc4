// One execute request, from sending to its end: running -> replied -> done. It is done when both the reply and `idle` came,
// when the kernel died, or when `idle` stays out after the reply (iopub may lose it). PythonKernel owns it and feeds it.

import type { KernelMessage } from "@jupyterlab/services";
import type { CellError, KernelDeath } from "./model.ts";

/** How an execution ended. `aborted`: it never ran. `lost`: its reply never came although the kernel went on. */
export interface ExecutionEnd {
  status: "ok" | "error" | "aborted" | "lost" | "died";
  error?: CellError;
  executionCount: number | null;
  /** `exit()` and its like asked to end the session (payload `ask_exit`). */
  asksExit: boolean;
  /** `idle` never came, so the end of the output may be missing. */
  incomplete: boolean;
  /** The server dropped output by a rate limit of its own. */
  limited: boolean;
  /** When the kernel sent what, as Jupyter names it in a cell's metadata (`execution`): times in ISO 8601 by its clock. */
  times: Record<string, string>;
  death?: KernelDeath;
}

/**
 * Who takes what a request causes. `onOutput` hears iopub messages that are output, `onInput` an `input_request`, `onPage` what
 * the reply has for the pager (`name?`), as a `display_data` message.
 */
export interface ExecutionListener {
  onOutput(message: KernelMessage.IIOPubMessage): void;
  onPage?: ((message: KernelMessage.IIOPubMessage) => void) | undefined;
  onInput(request: KernelMessage.IInputRequestMsg): void;
}

/** How long the output of a request may take after its reply without one further message. */
const IDLE_LIMIT_MS = 5_000;

export class Execution {
  readonly id: string;
  readonly done: Promise<ExecutionEnd>;
  readonly #listener: ExecutionListener;
  readonly #finish: (end: ExecutionEnd) => void;
  #error: CellError | undefined;
  #reply: KernelMessage.IExecuteReplyMsg["content"] | undefined;
  #count: number | null = null;
  #idle = false;
  #ended = false;
  #limited = false;
  readonly #times: Record<string, string> = {};
  #limit: ReturnType<typeof setTimeout> | undefined;

  constructor(id: string, listener: ExecutionListener) {
    this.id = id;
    this.#listener = listener;
    const { promise, resolve } = Promise.withResolvers<ExecutionEnd>();
    this.done = promise;
    this.#finish = resolve;
  }

  get ended(): boolean {
    return this.#ended;
  }

  receive(message: KernelMessage.IMessage): void {
    if (this.#ended) return;
    if (message.channel === "iopub") this.#receiveOutput(message as KernelMessage.IIOPubMessage);
    else if (message.channel === "stdin") this.#listener.onInput(message as KernelMessage.IInputRequestMsg);
    else if (message.header.msg_type === "execute_reply" && this.#reply === undefined) {
      this.#reply = (message as KernelMessage.IExecuteReplyMsg).content;
      this.#count = this.#reply.execution_count ?? this.#count;
      this.#note("shell.execute_reply", message);
      for (const page of pagesOf(message as KernelMessage.IExecuteReplyMsg)) this.#listener.onPage?.(page);
    }
    this.#settle();
  }

  /** The kernel ended; there will be neither reply nor `idle`. A cell that was replied to had ended before. */
  die(death: KernelDeath): void {
    if (this.#reply === undefined) this.#end({ ...this.#outcome("died"), death });
    else this.#end({ ...this.#outcome(this.#replyStatus()), incomplete: true });
  }

  /** The kernel answered a later request on the same channel, so the reply to this one is lost. */
  lose(): void {
    if (this.#reply === undefined) this.#end({ ...this.#outcome("lost"), incomplete: true });
  }

  /** Stops listening: the caller gave this request up. */
  abandon(): void {
    this.#end(this.#outcome("lost"));
  }

  #receiveOutput(message: KernelMessage.IIOPubMessage): void {
    const type = message.header.msg_type;
    if (type === "status") {
      const state = (message.content as KernelMessage.IStatusMsg["content"]).execution_state;
      if (state === "busy" || state === "idle") this.#note(`iopub.status.${state}`, message);
      this.#idle ||= state === "idle";
      return;
    }
    if (type === "execute_input") {
      this.#note("iopub.execute_input", message);
      this.#count = (message.content as KernelMessage.IExecuteInputMsg["content"]).execution_count ?? this.#count;
      return;
    }
    if (type === "error") {
      const { ename, evalue, traceback } = message.content as KernelMessage.IErrorMsg["content"];
      this.#error = { name: ename, value: evalue, traceback };
    }
    this.#limited ||= isRateNotice(message);
    this.#listener.onOutput(message);
  }

  /** A kernel that does not say when it sent a message has it timed here. */
  #note(what: string, message: KernelMessage.IMessage): void {
    this.#times[what] ??= message.header.date || new Date().toISOString();
  }

  #settle(): void {
    if (this.#reply === undefined) return;
    if (this.#idle) {
      this.#end(this.#outcome(this.#replyStatus()));
      return;
    }
    clearTimeout(this.#limit);
    this.#limit = setTimeout(
      () => this.#end({ ...this.#outcome(this.#replyStatus()), incomplete: true }),
      IDLE_LIMIT_MS,
    );
  }

  /**
   * An `error` message with an `ok` reply is a failure too, and so is an error reply without a message. A kernel that told of the
   * input has run it: bash_kernel replies `abort` to a cell that was interrupted.
   */
  #replyStatus(): ExecutionEnd["status"] {
    const status: string = this.#reply?.status ?? "ok";
    const isAborted = status === "aborted" || status === "abort";
    if (isAborted && this.#times["iopub.execute_input"] === undefined) return "aborted";
    return isAborted || status === "error" || this.#error !== undefined ? "error" : "ok";
  }

  #outcome(status: ExecutionEnd["status"]): ExecutionEnd {
    const error = this.#error ?? (this.#reply?.status === "error" ? replyError(this.#reply) : undefined);
    return {
      status,
      ...(error === undefined ? {} : { error }),
      executionCount: this.#count,
      asksExit: asksExit(this.#reply),
      incomplete: false,
      limited: this.#limited,
      times: this.#times,
    };
  }

  #end(end: ExecutionEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#limit);
    this.#finish(end);
  }
}

function replyError(reply: KernelMessage.IExecuteReplyMsg["content"] | undefined): CellError {
  const { ename, evalue, traceback } = (reply ?? {}) as Partial<KernelMessage.IReplyErrorContent>;
  return { name: ename ?? "Error", value: evalue ?? "", traceback: traceback ?? [] };
}

/** "Messaging in Jupyter", "Payloads": each page is a MIME bundle. */
function pagesOf({ header, parent_header, content }: KernelMessage.IExecuteReplyMsg): KernelMessage.IIOPubMessage[] {
  const { payload } = content as { payload?: unknown };
  const pages = Array.isArray(payload) ? payload.filter((entry) => entry?.source === "page" && entry.data) : [];
  return pages.map(({ data }) => ({
    channel: "iopub",
    header: { ...header, msg_type: "display_data" } as KernelMessage.IHeader<KernelMessage.IOPubMessageType>,
    parent_header,
    metadata: {},
    content: { data, metadata: {} },
  }));
}

function asksExit(reply: KernelMessage.IExecuteReplyMsg["content"] | undefined): boolean {
  const payload = (reply as { payload?: unknown } | undefined)?.payload;
  return Array.isArray(payload) && payload.some((entry) => entry?.source === "ask_exit" && entry.keepkernel !== true);
}

/** Jupyter Server drops iopub messages above its rate limits and says so on the cell's standard error, with an `ok` reply. */
function isRateNotice(message: KernelMessage.IIOPubMessage): boolean {
  const { name, text } = message.content as Partial<KernelMessage.IStreamMsg["content"]>;
  return name === "stderr" && /^IOPub (?:data|message) rate exceeded\.\n/.test(text ?? "");
}
