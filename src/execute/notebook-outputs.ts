import type { KernelMessage } from "@jupyterlab/services";

/** An output in nbformat's form; text is one string, which the notebook's writer splits into lines. */
export type NotebookOutput = { output_type: string } & Record<string, unknown>;

interface Display {
  data: unknown;
  metadata: unknown;
}

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

  of(cell: number): NotebookOutput[] {
    return this.#cells.get(cell) ?? [];
  }

  takeChanged(): number[] {
    const changed = [...this.#changed].sort((left, right) => left - right);
    this.#changed.clear();
    return changed;
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
      this.#changed.add(cell);
      return;
    }
    if (this.#clearPending.delete(cell)) outputs.length = 0;
    this.#add(outputs, message);
    this.#changed.add(cell);
  }

  #add(outputs: NotebookOutput[], message: KernelMessage.IIOPubMessage): void {
    const type = message.header.msg_type;
    if (type === "stream") addStream(outputs, message.content as KernelMessage.IStreamMsg["content"]);
    else if (type === "error") {
      const { ename, evalue, traceback } = message.content as KernelMessage.IErrorMsg["content"];
      outputs.push({ output_type: "error", ename, evalue, traceback });
    } else if (type === "display_data" || type === "execute_result") {
      outputs.push(this.#displayed(type, message.content as KernelMessage.IExecuteResultMsg["content"]));
    }
  }

  #displayed(type: string, content: KernelMessage.IExecuteResultMsg["content"]): NotebookOutput {
    const { data, metadata } = content;
    const output: NotebookOutput = { output_type: type, data, metadata: metadata ?? {} };
    if (type === "execute_result") output.execution_count = content.execution_count;
    const id = displayIdOf(content);
    if (id !== undefined) {
      this.#update(content);
      this.#displays.set(id, [...(this.#displays.get(id) ?? []), output]);
    }
    return output;
  }

  #update(content: Display): void {
    const id = displayIdOf(content);
    if (id === undefined) return;
    for (const output of this.#displays.get(id) ?? []) {
      output.data = content.data;
      output.metadata = content.metadata ?? {};
      for (const [cell, outputs] of this.#cells) if (outputs.includes(output)) this.#changed.add(cell);
    }
  }
}

function displayIdOf(content: object): string | undefined {
  return (content as { transient?: { display_id?: string } }).transient?.display_id;
}

/** Text of the same stream is joined, as every front end stores it. */
function addStream(outputs: NotebookOutput[], { name, text }: KernelMessage.IStreamMsg["content"]): void {
  const last = outputs.at(-1);
  if (last?.output_type === "stream" && last.name === name) last.text = `${last.text}${text}`;
  else outputs.push({ output_type: "stream", name, text });
}
