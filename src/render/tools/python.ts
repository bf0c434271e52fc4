import type { Output } from "../../output/model.ts";
import type { ToolResult, ToolUpdate } from "../../tools/tool.ts";
import { cleanName, cleanText } from "../clean.ts";
import { type CellSection, type CodeCell, FRAME_COLUMNS, renderCodeCell } from "../code-cell.ts";
import { type Bounds, excerpt, firstLines } from "../excerpt.ts";
import { findLanguage } from "../highlight.ts";
import { PREVIEW_LIMITS } from "../limits.ts";
import { type PictureFacts, renderPicture } from "../picture/describe.ts";
import type { Picture, RenderContext, View } from "../renderer.ts";
import type { RendererRegistry } from "../renderer-registry.ts";
import type { CellStatus } from "../status-mark.ts";
import { wrapWords } from "../text.ts";
import { readNotices } from "./call-notices.ts";
import { type Display, DisplaysInText } from "./displays-in-text.ts";
import { LiveText } from "./live-text.ts";
import { cachedView, type ToolRenderer } from "./tool-renderer.ts";

/** The parameters of the `python` tool that its views read. */
export interface PythonCall {
  cells: { code: string; title?: string }[];
}

/** The details of the `python` tool that its views read; while it runs some are not there yet. */
export interface PythonDetails {
  cells?: PythonCell[];
  jsonOutputs?: unknown[];
  images?: PictureFacts[];
  statusEvents?: unknown[];
  /** The Markdown values among the outputs, as they stand in the text. */
  markdown?: string[];
  /** Outputs of other types, with the index of their cell. */
  outputs?: (Output & { cell: number })[];
  cellIndexes?: Partial<Record<"jsonOutputs" | "markdown" | "images", number[]>>;
  /** Which of `images` each image block of the content is. */
  shownImages?: number[];
  kernel?: string | null;
  diagnostics?: unknown[];
  meta?: { truncated?: boolean; totalLines?: number; outputLines?: number; artifactId?: string | null };
}

interface PythonCell {
  code: string;
  title?: string | null;
  output?: string;
  status: CellStatus;
  durationMs?: number | null;
  statusEvents?: unknown[];
}

/** Outputs whose text says all that there is to see. */
const SAID_IN_TEXT = ["chart", "error", "latex", "svg", "table"];

/** What a view of a call needs beside its result. */
export interface PythonViewOptions {
  registry: RendererRegistry;
  /** Milliseconds of a steady clock, for the time that a running cell has taken. */
  now?(): number;
}

/**
 * The view of one call of the `python` tool: a frame a cell, then what the cells gave beside text. `update` takes what is told
 * while it runs, `finish` the result. While a cell runs every drawing is new, afterwards drawings come from a cache.
 */
export class PythonView implements View {
  readonly #registry: RendererRegistry;
  readonly #now: () => number;
  readonly #startedAt = new Map<number, number>();
  readonly #live: LiveText;
  #details: PythonDetails;
  #pictures: Picture[] = [];
  #notices: string[] = [];
  #still = cachedView((context) => this.#draw(context));

  constructor(call: PythonCall, options: PythonViewOptions) {
    this.#registry = options.registry;
    this.#now = options.now ?? (() => performance.now());
    this.#live = new LiveText(call.cells.length);
    this.#details = { cells: call.cells.map((cell) => ({ ...cell, status: "pending" })) };
  }

  update({ content, details }: ToolUpdate): void {
    this.#take(details);
    const running = this.#cells.findIndex((cell) => cell.status === "running");
    const text = content.map((block) => (block.type === "text" ? block.text : "")).join("");
    this.#live.add(text, running);
    if (running >= 0 && !this.#startedAt.has(running)) this.#startedAt.set(running, this.#now());
    this.#pictures.push(...content.filter((block) => block.type === "image"));
  }

  finish({ content, details }: ToolResult): void {
    this.#take(details);
    const last = this.#cells.findLast((cell) => cell.status !== "pending");
    const text = content.find((block) => block.type === "text")?.text ?? "";
    this.#notices = readNotices(text, last?.output ?? "");
    this.#pictures = content.filter((block) => block.type === "image");
  }

  #take(details: PythonDetails): void {
    this.#details = { ...this.#details, ...details };
    this.#still = cachedView((context) => this.#draw(context));
  }

  /** Whether a cell runs, so that the view changes with time. */
  get running(): boolean {
    return this.#cells.some((cell) => cell.status === "running");
  }

  render(context: RenderContext): string[] {
    return this.running ? this.#draw(context) : this.#still.render(context);
  }

  get #cells(): PythonCell[] {
    return this.#details.cells ?? [];
  }

  #draw(context: RenderContext): string[] {
    const inner = { ...context, width: context.width - FRAME_COLUMNS };
    const displays = new DisplaysInText(listDisplays(this.#details));
    const cells = this.#cells.map((cell, index) => this.#describeCell(cell, index, displays, inner));
    return [...cells.flatMap((cell) => renderCodeCell(cell, context)), ...this.#drawNotices(context)];
  }

  #describeCell(cell: PythonCell, index: number, displays: DisplaysInText, inner: RenderContext): CodeCell {
    const count = this.#cells.length;
    const number = count > 1 ? `[${index + 1}/${count}]` : "";
    const started = this.#startedAt.get(index);
    const elapsed = cell.status === "running" && started !== undefined ? this.#now() - started : cell.durationMs;
    return {
      code: cell.code,
      language: findLanguage(this.#details.kernel ?? "python") ?? "python",
      title: [number, cell.title ?? ""].filter((part) => part !== "").join(" "),
      status: cell.status,
      ...(typeof elapsed === "number" && { durationMs: elapsed }),
      sections: [
        { label: "output", lines: this.#drawOutput(cell, index, displays, inner) },
        { label: "status", lines: (cell.statusEvents ?? []).flatMap((event) => this.#drawAs("status", event, inner)) },
        ...this.#drawGifts(index, displays, inner),
      ],
    };
  }

  #drawOutput(cell: PythonCell, index: number, displays: DisplaysInText, context: RenderContext): string[] {
    const text = (cell.status === "running" ? this.#live.of(index) : (cell.output ?? "")).replace(/\n$/, "");
    const parts = displays.split(text, index);
    const lines = parts.flatMap((part) => {
      if (part.kind === "display") return this.#registry.render(part.output, context);
      return excerpt(cleanText(part.text, false), context.width, boundsOf(context), context.theme);
    });
    return parts.length > 1 ? firstLines(lines, boundsOf(context).lines * 2, context.theme, context.width) : lines;
  }

  /** What stands beside the text of a cell: JSON that it does not have, outputs of plugins' own types, pictures. */
  #drawGifts(index: number, displays: DisplaysInText, context: RenderContext): CellSection[] {
    const { outputs = [], images = this.#pictures, cellIndexes, shownImages } = this.#details;
    const own = outputs.filter(
      ({ type, cell }) => cell === index && !SAID_IN_TEXT.includes(type) && this.#registry.has(type),
    );
    const last = this.#cells.length - 1;
    const pictures = images.flatMap((fact: PictureFacts, at) => {
      if ((cellIndexes?.images?.[at] ?? last) !== index) return [];
      return renderPicture(this.#pictures[shownImages?.indexOf(at) ?? at], fact, context);
    });
    const json = displays.restOf("json", index);
    return [
      { label: "json", lines: json.flatMap((output) => this.#registry.render(output, context)) },
      ...own.map((output) => ({ label: cleanName(output.type), lines: this.#registry.render(output, context) })),
      { label: "images", lines: pictures },
    ].filter((section) => section.lines.length > 0);
  }

  #drawAs(type: string, data: unknown, context: RenderContext): string[] {
    return this.#registry.render({ type, data }, context);
  }

  #drawNotices({ theme, width }: RenderContext): string[] {
    const { meta, diagnostics = [] } = this.#details;
    const notices = [...this.#notices, ...diagnostics.map(textOf)];
    if (meta?.truncated) notices.unshift(truncationNotice(meta));
    return notices.flatMap((notice) => wrapWords(theme.style("warning", cleanName(notice)), width));
  }
}

/** The displays that have a better form than the text that stands for them. */
function listDisplays({ markdown = [], jsonOutputs = [], outputs = [], cellIndexes }: PythonDetails): Display[] {
  return [
    ...markdown.map((text, at) => ({
      output: { type: "markdown", data: text },
      text,
      cell: cellIndexes?.markdown?.[at],
    })),
    ...jsonOutputs.map((data, at) => {
      const text = JSON.stringify(data, null, 2) ?? "";
      return { output: { type: "json", data }, text, cell: cellIndexes?.jsonOutputs?.[at] };
    }),
    ...outputs
      .filter(({ type, data }) => type === "latex" && typeof data === "string")
      .map((output) => ({ output, text: String(output.data), cell: output.cell })),
  ];
}

/** The views of the `python` tool: its cells as they wait, then what became of them. */
export function pythonToolRenderer(registry: RendererRegistry): ToolRenderer<PythonCall> {
  return {
    renderCall: (call, context) => new PythonView(call, { registry }).render(context),
    renderResult(result, call) {
      const view = new PythonView(call, { registry });
      view.finish(result);
      return view;
    },
  };
}

function boundsOf({ expanded }: RenderContext): Bounds {
  return expanded
    ? { lines: PREVIEW_LIMITS.EXPANDED_LINES, characters: PREVIEW_LIMITS.EXPANDED_CHARACTERS }
    : { lines: PREVIEW_LIMITS.COLLAPSED_LINES * 2, characters: PREVIEW_LIMITS.COLLAPSED_CHARACTERS };
}

function truncationNotice(meta: NonNullable<PythonDetails["meta"]>): string {
  const of = (count: number | undefined) => (count ?? 0).toLocaleString("en");
  const rest =
    meta.artifactId === undefined
      ? ""
      : `; all of it: artifact://${meta.artifactId}, nuthatch artifact ${meta.artifactId}`;
  return `Output truncated: ${of(meta.outputLines)} of ${of(meta.totalLines)} lines kept${rest}`;
}

function textOf(diagnostic: unknown): string {
  if (typeof diagnostic === "string") return diagnostic;
  const message = (diagnostic as { message?: unknown } | null)?.message;
  return typeof message === "string" ? message : JSON.stringify(diagnostic);
}
