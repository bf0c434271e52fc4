import type { Output } from "../../output/model.ts";
import type { ToolResult, ToolUpdate } from "../../tools/tool.ts";
import { cleanName, cleanText } from "../clean.ts";
import { type CellSection, type CodeCell, FRAME_COLUMNS, renderCodeCell } from "../code-cell.ts";
import { diagnosticText } from "../diagnostic-text.ts";
import { type Bounds, excerpt, firstItems } from "../excerpt.ts";
import { findLanguage } from "../highlight.ts";
import { PREVIEW_LIMITS } from "../limits.ts";
import { type PictureFacts, renderPicture } from "../picture/describe.ts";
import type { Picture, RenderContext, View } from "../renderer.ts";
import type { RendererRegistry } from "../renderer-registry.ts";
import type { CellStatus } from "../status-mark.ts";
import { wrapWords } from "../text.ts";
import { readNotices } from "./call-notices.ts";
import { LiveText } from "./live-text.ts";
import { type Display, splitAtDisplays, type TextPart } from "./split-at-displays.ts";
import { cachedView } from "./tool-renderer.ts";

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

/** A display, and the cell that it is of where that is known. */
interface PlacedDisplay extends Display {
  cell: number | undefined;
}

/** The last pictures of a cell that are drawn, or named, in an expanded view. */
const MOST_PICTURES = 100;
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
  #displays: PlacedDisplay[] = [];
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
    this.#displays = listDisplays(this.#details);
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
    const displays = new Set(this.#displays);
    const cells = this.#cells.map((cell, index) => this.#describeCell(cell, index, displays, inner));
    return [...cells.flatMap((cell) => renderCodeCell(cell, context)), ...this.#drawNotices(context)];
  }

  /** `displays` has those that were not drawn yet. */
  #describeCell(cell: PythonCell, index: number, displays: Set<PlacedDisplay>, inner: RenderContext): CodeCell {
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
        { label: "status", lines: this.#drawOutputs((cell.statusEvents ?? []).map(asStatus), inner) },
        ...this.#drawGifts(index, displays, inner),
      ],
    };
  }

  #drawOutput(cell: PythonCell, index: number, displays: Set<PlacedDisplay>, context: RenderContext): string[] {
    const text = (cell.status === "running" ? this.#live.of(index) : (cell.output ?? "")).replace(/\n$/, "");
    const own = [...displays].filter((display) => (display.cell ?? index) === index);
    const parts = splitAtDisplays(text, own);
    for (const part of parts) if (part.kind === "display") displays.delete(part.display as PlacedDisplay);
    const { theme, width } = context;
    const draw = (part: TextPart) =>
      part.kind === "display"
        ? this.#registry.render(part.display.output, context)
        : excerpt(cleanText(part.text, false), width, boundsOf(context), theme);
    return firstItems(parts, draw, boundsOf(context).lines * 2, theme, width);
  }

  /** What stands beside the text of a cell: JSON that it does not have, outputs of plugins' own types, pictures. */
  #drawGifts(index: number, displays: Set<PlacedDisplay>, context: RenderContext): CellSection[] {
    const { outputs = [] } = this.#details;
    const own = outputs.filter(
      ({ type, cell }) => cell === index && !SAID_IN_TEXT.includes(type) && this.#registry.has(type),
    );
    const last = this.#cells.length - 1;
    const json = [...displays].filter(({ output, cell }) => output.type === "json" && (cell ?? last) === index);
    return [
      {
        label: "json",
        lines: this.#drawOutputs(
          json.map(({ output }) => output),
          context,
        ),
      },
      ...[...Map.groupBy(own, ({ type }) => type)].map(([type, some]) => ({
        label: cleanName(type),
        lines: this.#drawOutputs(some, context),
      })),
      { label: "images", lines: this.#drawPictures(index, context) },
    ].filter((section) => section.lines.length > 0);
  }

  #drawPictures(index: number, context: RenderContext): string[] {
    const { images = this.#pictures, cellIndexes, shownImages } = this.#details;
    const last = this.#cells.length - 1;
    const own = [...images.keys()].filter((at) => (cellIndexes?.images?.[at] ?? last) === index);
    const most = context.expanded ? MOST_PICTURES : PREVIEW_LIMITS.COLLAPSED_LINES;
    const rows = own.slice(-most).flatMap((at) => {
      const picture = this.#pictures[shownImages?.indexOf(at) ?? at];
      return renderPicture(picture, images[at] as PictureFacts, context);
    });
    return own.length > most
      ? [context.theme.style("muted", `… ${(own.length - most).toLocaleString("en")} more before`), ...rows]
      : rows;
  }

  #drawOutputs(outputs: readonly Output[], context: RenderContext): string[] {
    const draw = (output: Output) => this.#registry.render(output, context);
    return firstItems(outputs, draw, boundsOf(context).lines, context.theme, context.width);
  }

  #drawNotices({ theme, width }: RenderContext): string[] {
    const { meta, diagnostics = [] } = this.#details;
    const notices = [...this.#notices, ...diagnostics.map(diagnosticText)];
    if (meta?.truncated) notices.unshift(truncationNotice(meta));
    return notices.flatMap((notice) => wrapWords(theme.style("warning", cleanName(notice)), width));
  }
}

/** The displays that have a better form than the text that stands for them. */
function listDisplays({ markdown = [], jsonOutputs = [], outputs = [], cellIndexes }: PythonDetails): PlacedDisplay[] {
  const displays = [
    ...markdown.map((text, at) => ({ type: "markdown", data: text, text, cell: cellIndexes?.markdown?.[at] })),
    ...jsonOutputs.map((data, at) => {
      const text = JSON.stringify(data, null, 2) ?? "";
      return { type: "json", data, text, cell: cellIndexes?.jsonOutputs?.[at] };
    }),
    ...outputs
      .filter(({ type, data }) => type === "latex" && typeof data === "string")
      .map(({ type, data, cell }) => ({ type, data, text: String(data), cell })),
  ];
  return displays.map(({ type, data, text, cell }) => ({ output: { type, data }, text: text.trim(), cell }));
}

function asStatus(data: unknown): Output {
  return { type: "status", data };
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
