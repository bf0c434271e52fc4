import type { KernelMessage } from "@jupyterlab/services";

/** The MIME type of a display of a widget; its value names the model. */
const VIEW = "application/vnd.jupyter.widget-view+json";
const REFERENCE = "IPY_MODEL_";
const BAR_CELLS = 10;
const DEEPEST = 8;

/** What of a model's state its text is made of; others may be large. */
const KEYS = ["_model_name", "value", "min", "max", "children"];

type State = Record<string, unknown>;

/**
 * Texts of the widgets that a call displays, as they stand now. The plain text of a display says how its widget began, which of
 * a progress bar is 0 %. Bars, labels and boxes of them have a text here; for any other the kernel's own stays.
 */
export class WidgetTexts {
  readonly #states = new Map<string, State>();
  /** By the model's id: the display's id and the text that was told. */
  readonly #displays = new Map<string, { id: string; text: string | undefined }>();

  /** Takes a message of a comm (Jupyter Widgets, "Model synchronization"). */
  receive({ header, content }: KernelMessage.IIOPubMessage): void {
    const { comm_id: id, data } = content as unknown as { comm_id: string; data?: { state?: State } };
    if (header.msg_type === "comm_close") this.#states.set(id, { _model_name: "" });
    else if (data?.state !== undefined) this.#states.set(id, { ...this.#states.get(id), ...pick(data.state) });
  }

  /** Takes a bundle that is displayed, and returns the id by which its text can be changed, if it is a widget's. */
  display(data: Record<string, unknown>, displayId: string | undefined): string | undefined {
    const model = (data[VIEW] as { model_id?: unknown } | undefined)?.model_id;
    if (typeof model !== "string") return displayId;
    const id = displayId ?? `widget ${model}`;
    this.#displays.set(model, { id, text: this.#textOf(model) });
    return id;
  }

  /** The displays that have another text since the last call. */
  takeChanged(): { id: string; text: string }[] {
    return [...this.#displays].flatMap(([model, display]) => {
      const text = this.#textOf(model);
      if (text === undefined || text === display.text) return [];
      display.text = text;
      return [{ id: display.id, text }];
    });
  }

  #textOf(model: string, depth = 0): string | undefined {
    const state = this.#states.get(model);
    const name = typeof state?._model_name === "string" ? state._model_name : undefined;
    if (state === undefined || name === undefined || depth > DEEPEST) return undefined;
    if (name === "") return "";
    if (/^(?:HTML|HTMLMath|Label)Model$/.test(name)) return plainText(String(state.value ?? ""));
    if (/^(?:Float|Int)ProgressModel$/.test(name)) return bar(state);
    if (!/^[HV]?BoxModel$/.test(name) || !Array.isArray(state.children)) return undefined;
    const children = state.children.map((child) => this.#textOf(String(child).replace(REFERENCE, ""), depth + 1));
    if (children.includes(undefined)) return undefined;
    return children.filter((text) => text !== "").join(name === "VBoxModel" ? "\n" : " ");
  }
}

function pick(state: State): State {
  return Object.fromEntries(KEYS.filter((key) => key in state).map((key) => [key, state[key]]));
}

function bar({ value, min = 0, max = 100 }: State): string {
  const share = (Number(value) - Number(min)) / (Number(max) - Number(min));
  const full = Math.round(BAR_CELLS * Math.min(1, Math.max(0, share || 0)));
  return `|${"█".repeat(full)}${" ".repeat(BAR_CELLS - full)}|`;
}

function plainText(html: string): string {
  const entities: Record<string, string> = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&#x27;": "'" };
  return html
    .replace(/<[^<>]*>/g, "")
    .replace(/&(?:lt|gt|quot|#39|#x27);/g, (entity) => entities[entity] as string)
    .replaceAll("&amp;", "&")
    .replace(/\s+/g, " ")
    .trim();
}
