import type { KernelMessage } from "@jupyterlab/services";
import { coalesceStreams } from "./coalesce-streams.ts";

/** An output in nbformat's form; text is one string, which the notebook's writer splits into lines. */
export type NotebookOutput = { output_type: string } & Record<string, unknown>;

/**
 * The outputs of a run's cells as a notebook stores them (nbformat 4, "Output types"). A display that is updated changes in
 * every cell that shows it.
 */
export class NotebookOutputs {
  readonly #cells = new Map<number, NotebookOutput[]>();
  readonly #displays = new Map<string, NotebookOutput[]>();
  /** Cells where `clear_output(wait=True)` waits for the next output. */
  readonly #clearPending = new Set<number>();
  /** Cells that have other outputs since `takeChanged`. */
  readonly #changed = new Set<number>();

  /** Begins a cell anew, without outputs. */
  start(cell: number): void {
    this.#cells.set(cell, []);
    this.#clearPending.delete(cell);
    this.#changed.add(cell);
  }

  /** What a cell has put out so far, each stream in the pieces between other outputs. */
  of(cell: number): readonly NotebookOutput[] {
    return this.#cells.get(cell) ?? [];
  }

  /** The cell's outputs as they are stored. */
  stored(cell: number): NotebookOutput[] {
    return coalesceStreams(this.of(cell));
  }

  takeChanged(): number[] {
    const changed = [...this.#changed].sort((left, right) => left - right);
    this.#changed.clear();
    return changed;
  }

  /** Adds an output that no message brought. */
  add(cell: number, output: NotebookOutput): void {
    this.#cells.get(cell)?.push(output);
    this.#changed.add(cell);
  }

  receive(cell: number, message: KernelMessage.IIOPubMessage): void {
    const outputs = this.#cells.get(cell);
    if (outputs === undefined) return;
    const type = message.header.msg_type;
    if (type === "update_display_data") {
      this.#update(message.content as KernelMessage.IDisplayDataMsg["content"]);
      return;
    }
    if (type === "clear_output") {
      if ((message.content as KernelMessage.IClearOutputMsg["content"]).wait) this.#clearPending.add(cell);
      else outputs.length = 0;
    } else {
      if (this.#clearPending.delete(cell)) outputs.length = 0;
      this.#remember(addOutput(outputs, message), message);
    }
    this.#changed.add(cell);
  }

  /** A display with the id of earlier ones updates those too. */
  #remember(output: NotebookOutput | undefined, message: KernelMessage.IIOPubMessage): void {
    const id = displayIdOf(message.content);
    if (id === undefined || output === undefined) return;
    this.#update(message.content as KernelMessage.IDisplayDataMsg["content"]);
    this.#displays.set(id, [...(this.#displays.get(id) ?? []), output]);
  }

  #update(content: KernelMessage.IDisplayDataMsg["content"]): void {
    const shown = new Set(this.#displays.get(displayIdOf(content) ?? ""));
    if (shown.size === 0) return;
    for (const output of shown) Object.assign(output, { data: content.data, metadata: content.metadata ?? {} });
    for (const [cell, outputs] of this.#cells) {
      if (outputs.some((output) => shown.has(output))) this.#changed.add(cell);
    }
  }
}

/** Adds the output that a message brings, and returns it; text of the stream that came last goes to what is there. */
export function addOutput(
  outputs: NotebookOutput[],
  { header, content }: KernelMessage.IIOPubMessage,
): NotebookOutput | undefined {
  const type = header.msg_type;
  const output = readOutput(type, content as KernelMessage.IExecuteResultMsg["content"]);
  const last = outputs.at(-1);
  if (output === undefined) return undefined;
  if (type === "stream" && last?.output_type === "stream" && last.name === output.name) {
    last.text = `${last.text}${output.text}`;
    return last;
  }
  outputs.push(output);
  return output;
}

function readOutput(type: string, content: object): NotebookOutput | undefined {
  if (type === "stream") {
    const { name, text } = content as KernelMessage.IStreamMsg["content"];
    return { output_type: type, name, text };
  }
  if (type === "error") {
    const { ename, evalue, traceback } = content as KernelMessage.IErrorMsg["content"];
    return { output_type: type, ename, evalue, traceback };
  }
  if (type !== "display_data" && type !== "execute_result") return undefined;
  const { data, metadata, execution_count } = content as KernelMessage.IExecuteResultMsg["content"];
  const output: NotebookOutput = { output_type: type, data, metadata: metadata ?? {} };
  return type === "execute_result" ? { ...output, execution_count } : output;
}

function displayIdOf(content: object): string | undefined {
  return (content as { transient?: { display_id?: string } }).transient?.display_id;
}
