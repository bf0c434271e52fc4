// What one call has come to so far: its text, its cells and what they displayed. Fed by the call's loop and by the kernel's
// messages; every change is told to `onUpdate` with only the new text. `result` ends it and must be called.

import type { KernelMessage } from "@jupyterlab/services";
import type { ArtifactFile } from "../output/artifact-file.ts";
import type { Artifact } from "../output/artifact-index.ts";
import type { ArtifactStore } from "../output/artifacts.ts";
import type { Content } from "../output/model.ts";
import { OutputKeeper } from "../output/output-keeper.ts";
import { sanitizeText } from "../output/text-sanitizer.ts";
import { truncationNotice } from "../output/truncation-notice.ts";
import type { CellEvent, HookEvents } from "../plugin/api.ts";
import type { Settings } from "../settings.ts";
import { type CallPlugins, changeMessage } from "./call-plugins.ts";
import { CallText } from "./call-text.ts";
import { CapturedOutputs } from "./captured-outputs.ts";
import { emptyDetails } from "./empty-details.ts";
import { MessageGarbage } from "./message-garbage.ts";
import type { CellDetails, CellError, CellRequest, PythonDetails, PythonResult } from "./model.ts";
import type { CallWatch } from "./session-watchers.ts";
import { type ContentListener, UpdateStream } from "./update-stream.ts";
import { WidgetTexts } from "./widget-texts.ts";

/** A call to report on, and where its outputs go. */
export interface ReportOptions {
  cells: readonly CellRequest[];
  session: string;
  cwd: string;
  settings: Pick<Settings, "maxOutputBytes" | "maxImageBytes" | "maxImagePixels">;
  plugins: CallPlugins;
  artifacts: ArtifactStore;
  openArtifact(): ArtifactFile;
  saveArtifact(bytes: Uint8Array | string, mimeType: string): Artifact;
  onUpdate: ContentListener | undefined;
  watch: CallWatch;
}

export class CallReport {
  readonly #details: PythonDetails;
  readonly #text: CallText;
  readonly #options: ReportOptions;
  readonly #keeper: OutputKeeper;
  readonly #outputs: CapturedOutputs;
  /** The details do not have the outputs of late. */
  #outputsChanged = false;
  readonly #updates: UpdateStream;
  readonly #garbage = new MessageGarbage();
  readonly #widgets = new WidgetTexts();
  readonly #notices: string[] = [];
  readonly #diagnostics: unknown[] = [];
  readonly #told: Promise<void>[] = [];
  #current: CellDetails | undefined;
  #startedAt = 0;
  /** `clear_output(wait=True)` clears when the next output comes. */
  #clearPending = false;
  #failed = false;
  #errorShown = false;
  #before = "";

  constructor(options: ReportOptions) {
    this.#options = options;
    this.#details = emptyDetails(options.session, options.cells);
    const { settings, artifacts, saveArtifact } = options;
    this.#keeper = new OutputKeeper({
      limits: { maxBytes: settings.maxImageBytes, maxPixels: settings.maxImagePixels },
      save: saveArtifact,
      discard: (id) => artifacts.discard(id),
    });
    this.#outputs = new CapturedOutputs(this.#keeper);
    this.#updates = new UpdateStream(options.onUpdate, () => this.details, options.watch);
    this.#text = new CallText({
      maxBytes: options.settings.maxOutputBytes,
      cells: options.cells.length,
      artifacts: options.artifacts,
      openArtifact: options.openArtifact,
      onText: (text) => this.#updates.text(text),
    });
  }

  /** How the call stands. */
  get details(): PythonDetails {
    if (this.#outputsChanged) this.#outputs.fill(this.#details);
    this.#outputsChanged = false;
    return this.#details;
  }

  /** Output of a thread, say, that came after its own call had ended. */
  earlierOutput(text: string): void {
    this.preface(`[earlier output]\n${sanitizeText(text).replace(/\n$/, "")}`);
  }

  /** A line of our own that stands before the first cell. */
  preface(text: string): void {
    this.#before += `${text}\n`;
    this.#updates.text(`${text}\n`);
  }

  /** A line of our own that stands within the cell's output, where it happened. */
  line(text: string): void {
    this.#text.cell.pushBlock(text);
  }

  /** A line of our own that stands after the output. */
  notice(text: string): void {
    this.#notices.push(text);
  }

  /** What is wrong with something of the user's that the call could do without. */
  diagnose(diagnostics: readonly unknown[]): void {
    this.#diagnostics.push(...diagnostics);
  }

  startCell(index: number): void {
    const cell = this.details.cells[index] as CellDetails;
    this.#text.beginCell(cell);
    cell.status = "running";
    this.#current = cell;
    this.#errorShown = false;
    this.#startedAt = performance.now();
    this.#notify("cellStart", this.#cellEvent(cell));
    this.#updates.changed();
  }

  endCell(status: "complete" | "error" | "pending", exitCode: number | null): void {
    const cell = this.#current;
    if (cell === undefined) return;
    cell.durationMs = status === "pending" ? 0 : performance.now() - this.#startedAt;
    cell.status = status;
    cell.exitCode = exitCode;
    for (const { id, text } of this.#widgets.takeChanged()) this.#text.change(id, text);
    this.#text.endCell();
    this.#current = undefined;
    const { durationMs } = cell;
    if (status !== "pending") this.#notify("cellEnd", { ...this.#cellEvent(cell), status, durationMs });
    if (this.#options.watch.wanted) this.#saveOutputs();
    this.#updates.changed();
  }

  fail(error?: CellError): void {
    this.#failed = true;
    this.details.error ??= error ?? null;
  }

  /** Tells how the call stands now, so that what comes next begins an update of its own. */
  tellNow(): void {
    this.#updates.tellNow();
  }

  /** The call was cancelled in the queue, or while its kernel started. */
  cancelledBeforeStart(): void {
    this.details.cancelled = true;
    this.notice("Cancelled before the first cell ran");
  }

  /** What a cell displayed in its first run does not count when it runs again in a new kernel. */
  restartCell(): void {
    const cell = this.#current;
    if (cell === undefined) return;
    cell.restarted = true;
    this.#errorShown = false;
    this.#outputs.drop(cell);
    this.#outputsChanged = true;
  }

  /** A message of the running cell as the plugins' hooks let it pass. */
  change(message: KernelMessage.IIOPubMessage): KernelMessage.IIOPubMessage | undefined {
    if (this.#current === undefined) return message;
    return changeMessage(this.#options.plugins, this.#cellEvent(this.#current), message);
  }

  receive(message: KernelMessage.IIOPubMessage): void {
    this.#garbage.count(message);
    const type = message.header.msg_type;
    if (type.startsWith("comm_")) {
      this.#widgets.receive(message);
      return;
    }
    if (type === "clear_output") {
      if ((message.content as KernelMessage.IClearOutputMsg["content"]).wait) this.#clearPending = true;
      else this.#clear();
      return;
    }
    if (this.#clearPending) this.#clear();
    if (type === "stream") this.#text.cell.push(...readStream(message.content as KernelMessage.IStreamMsg["content"]));
    else if (type === "error") this.#showError(readError(message.content as KernelMessage.IErrorMsg["content"]));
    else this.#display(message.content as KernelMessage.IDisplayDataMsg["content"], type === "update_display_data");
  }

  /** Shows the error of a reply that no `error` message came for (a bad magic), unless the kernel has printed it. */
  ensureErrorShown(error: CellError): void {
    if (!this.#errorShown && !this.#text.cell.dump().text.includes(error.value)) this.#showError(error);
  }

  /** Ends the report: what plugins were told has been heard, and pictures and files are kept. */
  async result(): Promise<PythonResult> {
    await Promise.all(this.#told);
    const kept = await this.#keeper.keep(this.#outputs.files);
    this.#outputsChanged = true;
    const dump = this.#text.finish();
    const { text, artifactId = null, spillError: _, ...meta } = dump;
    this.details.meta = { ...meta, artifactId };
    this.details.images = kept.images;
    this.details.shownImages = kept.shown;
    this.details.diagnostics = [...this.#options.plugins.failed, ...this.#diagnostics];
    const truncation = truncationNotice(dump);
    const notices = [...kept.notices, ...this.#notices];
    // Who follows the call was told all of its text as it came.
    this.#updates.text(linesAfter(text, notices));
    this.#updates.flush();
    const shown = this.#before + text + linesAfter(text, truncation === undefined ? notices : [truncation, ...notices]);
    const content: Content[] = [{ type: "text", text: shown === "" ? "(no output)" : shown }, ...kept.blocks];
    const { cancelled, timedOut, stdinRequested } = this.details;
    return { content, details: this.details, isError: this.#failed || cancelled || timedOut || stdinRequested };
  }

  #showError(error: CellError): void {
    this.#errorShown = true;
    const text = error.traceback.length > 0 ? error.traceback.join("\n") : `${error.name}: ${error.value}`;
    this.#text.cell.pushBlock(text);
  }

  #display(content: KernelMessage.IDisplayDataMsg["content"], update: boolean): void {
    const cell = this.#current;
    if (cell === undefined || typeof content.data !== "object") return;
    const { text = "", outputs } = this.#options.plugins.mime.capture(content.data, content.metadata);
    const displayId = (content.transient as { display_id?: string } | undefined)?.display_id;
    this.#outputs.add(outputs, cell, displayId, update);
    this.#text.display(text, this.#widgets.display(content.data, displayId), update);
    if (outputs.length === 0 && displayId === undefined) return;
    this.#outputsChanged = true;
    this.#updates.changed();
  }

  /** A watcher draws a cell's pictures with the cell, which may have ended long before its call. */
  #saveOutputs(): void {
    this.#details.images = this.#keeper.saveSoFar(this.#outputs.files);
    this.#outputsChanged = true;
  }

  #cellEvent({ index, title, code }: CellDetails): CellEvent {
    const { session, cwd } = this.#options;
    return { session, cwd, index, title, code };
  }

  #notify<Name extends "cellStart" | "cellEnd">(name: Name, event: HookEvents[Name]): void {
    const { hooks } = this.#options.plugins;
    if (hooks.has(name)) this.#told.push(hooks.notify(name, event));
  }

  #clear(): void {
    this.#clearPending = false;
    this.#text.cell.clear();
    if (this.#current !== undefined) this.#outputs.clear(this.#current);
    this.#outputsChanged = true;
  }
}

/** Lines of our own as they follow a text, which may end within a line. */
function linesAfter(text: string, lines: readonly string[]): string {
  const open = lines.length > 0 && text !== "" && !text.endsWith("\n") ? "\n" : "";
  return open + lines.map((line) => `${line}\n`).join("");
}

function readStream(content: KernelMessage.IStreamMsg["content"]): [text: string, name: string] {
  return [content.text, content.name];
}

function readError(content: KernelMessage.IErrorMsg["content"]): CellError {
  return { name: content.ename, value: content.evalue, traceback: content.traceback };
}
