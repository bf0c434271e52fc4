import type { KernelMessage } from "@jupyterlab/services";
import type { WidgetStates } from "../notebook/widget-states.ts";
import type { NotebookOutput } from "./notebook-outputs.ts";
import { addOutput } from "./notebook-outputs.ts";

/** Tells a kernel the new state of one of its widgets. */
export type StateSender = (comm: string, state: Record<string, unknown>) => void;

/** The content of `comm_open` and `comm_msg` of a widget (Jupyter Widgets, "Model synchronization"). */
interface CommContent {
  comm_id: string;
  data?: { state?: Record<string, unknown>; buffer_paths?: (string | number)[][] };
}

interface Model {
  state: Record<string, unknown>;
  /** By their path in the state, since a later one takes the place of an earlier one. */
  buffers: Map<string, { data: string; encoding: "base64"; path: (string | number)[] }>;
}

/**
 * The widgets that a run's cells make, as a front end keeps them. An Output widget that captures takes what a request displays
 * to itself, and its kernel is told.
 */
export class WidgetModels {
  readonly #models = new Map<string, Model>();
  /** Output widgets that capture, by the id of the request whose output they take; the last one has it. */
  readonly #captures = new Map<string, string[]>();
  readonly #clearPending = new Set<string>();
  readonly #send: StateSender;
  #changed = false;

  constructor(send: StateSender) {
    this.#send = send;
  }

  /** Takes a message that is a widget's, or goes to one; false for any other. */
  receive(message: KernelMessage.IIOPubMessage): boolean {
    const type = message.header.msg_type;
    if (type === "comm_open" || type === "comm_msg") this.#update(message);
    if (type.startsWith("comm_")) return true;
    const request = (message.parent_header as { msg_id?: string }).msg_id ?? "";
    const captor = this.#captures.get(request)?.at(-1);
    if (captor === undefined || type === "update_display_data") return false;
    this.#capture(captor, message);
    return true;
  }

  /** All models so far, if one of them is new or has changed since the last call. */
  takeChanged(): WidgetStates | undefined {
    if (!this.#changed) return undefined;
    this.#changed = false;
    const known = [...this.#models].filter(([, { state }]) => "_model_name" in state);
    return Object.fromEntries(known.map(([id, model]) => [id, describeModel(model)]));
  }

  #update(message: KernelMessage.IIOPubMessage): void {
    const { comm_id: id, data } = message.content as unknown as CommContent;
    if (data?.state === undefined) return;
    const model = this.#models.get(id) ?? { state: {}, buffers: new Map() };
    this.#models.set(id, model);
    Object.assign(model.state, data.state);
    for (const [index, path] of (data.buffer_paths ?? []).entries()) {
      const bytes = message.buffers?.[index];
      if (bytes !== undefined)
        model.buffers.set(JSON.stringify(path), { data: encode(bytes), encoding: "base64", path });
    }
    this.#changed = true;
    if (isOutputModel(model) && message.header.msg_type === "comm_msg" && "msg_id" in data.state) this.#hook(id, model);
  }

  #hook(id: string, { state }: Model): void {
    for (const captors of this.#captures.values()) if (captors.at(-1) === id) captors.pop();
    const request = state.msg_id;
    if (typeof request === "string" && request !== "")
      this.#captures.set(request, [...(this.#captures.get(request) ?? []), id]);
  }

  #capture(id: string, message: KernelMessage.IIOPubMessage): void {
    const model = this.#models.get(id) as Model;
    const clears = message.header.msg_type === "clear_output";
    if (clears && (message.content as KernelMessage.IClearOutputMsg["content"]).wait) {
      this.#clearPending.add(id);
      return;
    }
    const fresh = clears || this.#clearPending.delete(id);
    const outputs = fresh ? [] : [...(model.state.outputs as NotebookOutput[])];
    addOutput(outputs, message);
    model.state.outputs = outputs;
    this.#changed = true;
    this.#send(id, { outputs });
  }
}

function isOutputModel({ state }: Model): boolean {
  return (
    state._model_module === "@jupyter-widgets/output" &&
    state._model_name === "OutputModel" &&
    Array.isArray(state.outputs)
  );
}

/** A model as the widget state schema has it. */
function describeModel({ state, buffers }: Model): Record<string, unknown> {
  return {
    model_name: state._model_name,
    model_module: state._model_module,
    model_module_version: state._model_module_version,
    state,
    ...(buffers.size === 0 ? {} : { buffers: [...buffers.values()] }),
  };
}

function encode(bytes: ArrayBuffer | ArrayBufferView): string {
  const view = ArrayBuffer.isView(bytes) ? bytes : new Uint8Array(bytes);
  return Buffer.from(view.buffer, view.byteOffset, view.byteLength).toString("base64");
}
