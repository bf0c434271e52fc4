// What one call has come to so far: its text, its cells and what they displayed. Fed by the call's loop and by the kernel's
// messages; every change is told to `onUpdate` with only the new text.

import type { KernelMessage } from "@jupyterlab/services";
import type { Content, MimeHandler, Output } from "../output/model.ts";
import { CallText } from "./call-text.ts";
import { captureDisplay } from "./display.ts";
import type { CellDetails, CellError, PythonDetails, PythonRequest, PythonResult, RunOptions } from "./model.ts";

interface Entry {
  output: Output;
  displayId: string | undefined;
  cell: CellDetails;
}

export class CallReport {
  readonly details: PythonDetails;
  readonly #text: CallText;
  readonly #handlers: readonly MimeHandler[];
  readonly #onUpdate: RunOptions["onUpdate"];
  readonly #notices: string[] = [];
  #entries: Entry[] = [];
  #current: CellDetails | undefined;
  #startedAt = 0;
  /** `clear_output(wait=True)` clears when the next output comes. */
  #clearPending = false;
  #failed = false;
  #errorShown = false;

  constructor(request: PythonRequest, handlers: readonly MimeHandler[], onUpdate: RunOptions["onUpdate"]) {
    this.details = emptyDetails(request);
    this.#handlers = handlers;
    this.#onUpdate = onUpdate;
    this.#text = new CallText({
      maxBytes: request.settings.maxOutputBytes,
      onText: (text) => this.#update([{ type: "text", text }]),
    });
  }

  /** Output of a thread, say, that came after its own call had ended. */
  earlierOutput(text: string): void {
    this.#text.line("[earlier output]");
    this.#text.write(text);
  }

  /** A line of our own that stands where it happened. */
  line(text: string): void {
    this.#text.line(text);
  }

  /** A line of our own that stands after the output. */
  notice(text: string): void {
    this.#notices.push(text);
  }

  startCell(index: number): void {
    const cell = this.details.cells[index] as CellDetails;
    const count = this.details.cells.length;
    if (count > 1) this.#text.line(`[${index + 1}/${count}]${cell.title === null ? "" : ` ${cell.title}`}`);
    this.#text.beginCell();
    cell.status = "running";
    this.#current = cell;
    this.#errorShown = false;
    this.#startedAt = performance.now();
    this.#update([]);
  }

  endCell(status: "complete" | "error" | "pending", exitCode: number | null): void {
    const cell = this.#current;
    if (cell === undefined) return;
    cell.durationMs = status === "pending" ? 0 : performance.now() - this.#startedAt;
    cell.status = status;
    cell.exitCode = exitCode;
    cell.output = this.#text.cell;
    if (this.details.cells.length > 1 && this.#text.cellIsEmpty && status === "complete") this.#text.line("(ok)");
    this.#current = undefined;
    this.#update([]);
  }

  fail(error?: CellError): void {
    this.#failed = true;
    this.details.error ??= error ?? null;
  }

  /** What a cell made of its first run does not count when it runs again in a new kernel. */
  restartCell(): void {
    const cell = this.#current;
    if (cell === undefined) return;
    cell.restarted = true;
    this.#entries = this.#entries.filter((entry) => entry.cell !== cell);
  }

  receive(message: KernelMessage.IIOPubMessage): void {
    const type = message.header.msg_type;
    if (type === "clear_output") {
      if ((message.content as KernelMessage.IClearOutputMsg["content"]).wait) this.#clearPending = true;
      else this.#clear();
      return;
    }
    if (this.#clearPending) this.#clear();
    if (type === "stream") this.#text.write((message.content as KernelMessage.IStreamMsg["content"]).text);
    else if (type === "error") this.#showError(readError(message.content as KernelMessage.IErrorMsg["content"]));
    else this.#display(message.content as KernelMessage.IDisplayDataMsg["content"], type === "update_display_data");
  }

  /** Shows the error of a reply that no `error` message came for (a bad magic), unless the kernel has printed it. */
  ensureErrorShown(error: CellError): void {
    if (!this.#errorShown && !this.#text.cell.includes(error.value)) this.#showError(error);
  }

  result(): PythonResult {
    for (const notice of this.#notices) this.#text.line(notice);
    const { text, meta } = this.#text.finish();
    this.details.meta = meta;
    this.#summarise();
    const images = this.#entries.flatMap((entry) => imageBlock(entry.output) ?? []);
    const content: Content[] = [{ type: "text", text: text === "" ? "(no output)" : text }, ...images];
    const { cancelled, timedOut, stdinRequested } = this.details;
    return { content, details: this.details, isError: this.#failed || cancelled || timedOut || stdinRequested };
  }

  #showError(error: CellError): void {
    this.#errorShown = true;
    this.#text.line(error.traceback.length > 0 ? error.traceback.join("\n") : `${error.name}: ${error.value}`);
  }

  #display(content: KernelMessage.IDisplayDataMsg["content"], update: boolean): void {
    const cell = this.#current;
    if (cell === undefined || typeof content.data !== "object") return;
    const displayId = (content.transient as { display_id?: string } | undefined)?.display_id;
    const display = captureDisplay(content.data, content.metadata ?? {}, this.#handlers);
    this.details.diagnostics.push(...display.diagnostics);
    if (update && displayId !== undefined) {
      this.#entries = this.#entries.filter((entry) => entry.displayId !== displayId);
    }
    for (const output of display.outputs) this.#entries.push({ output, displayId, cell });
    if (display.text !== undefined) this.#text.line(display.text.replace(/\n$/, ""));
    if (display.outputs.length > 0) {
      this.#summarise();
      this.#update(display.outputs.flatMap((output) => imageBlock(output) ?? []));
    }
  }

  #clear(): void {
    this.#clearPending = false;
    this.#entries = this.#entries.filter((entry) => entry.cell !== this.#current || entry.output.type === "status");
  }

  #summarise(): void {
    const of = (type: string) => this.#entries.filter((entry) => entry.output.type === type);
    this.details.jsonOutputs = of("json").map((entry) => entry.output.data);
    this.details.statusEvents = of("status").map((entry) => entry.output.data);
    this.details.markdown = of("markdown").map((entry) => String(entry.output.data));
    this.details.images = of("image").map(({ output }) => ({
      mimeType: output.mimeType ?? "image/png",
      width: null,
      height: null,
      bytes: Buffer.byteLength(String(output.data), "base64"),
      artifactId: null,
    }));
    for (const cell of this.details.cells) {
      cell.statusEvents = of("status").flatMap((entry) => (entry.cell === cell ? [entry.output.data] : []));
    }
  }

  #update(content: Content[]): void {
    this.#onUpdate?.({ content, details: structuredClone(this.details) });
  }
}

function emptyDetails(request: PythonRequest): PythonDetails {
  return {
    cells: request.cells.map(({ code, title }, index) => ({
      index,
      title: title ?? null,
      code,
      output: "",
      status: "pending",
      durationMs: 0,
      exitCode: null,
      statusEvents: [],
      restarted: false,
    })),
    jsonOutputs: [],
    images: [],
    statusEvents: [],
    markdown: [],
    session: request.name ?? request.cwd,
    kernel: null,
    cancelled: false,
    timedOut: false,
    stdinRequested: false,
    error: null,
    diagnostics: [],
    meta: { truncated: false, totalLines: 0, totalBytes: 0, outputLines: 0, outputBytes: 0, artifactId: null },
  };
}

function readError(content: KernelMessage.IErrorMsg["content"]): CellError {
  return { name: content.ename, value: content.evalue, traceback: content.traceback };
}

function imageBlock(output: Output): Content | undefined {
  if (output.type !== "image" || typeof output.data !== "string") return undefined;
  return { type: "image", data: output.data.replaceAll("\n", ""), mimeType: output.mimeType ?? "image/png" };
}
