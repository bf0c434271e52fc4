import type { Content } from "../../output/model.ts";
import type { ToolResult } from "../../tools/tool.ts";
import { cleanName, cleanText } from "../clean.ts";
import { type CellSection, type CellStatus, FRAME_COLUMNS, renderCodeCell } from "../code-cell.ts";
import { excerpt } from "../excerpt.ts";
import { findLanguage } from "../highlight.ts";
import { PREVIEW_LIMITS } from "../limits.ts";
import { renderMarkdown } from "../markdown.ts";
import { type PictureFacts, renderPicture } from "../picture/describe.ts";
import type { RenderContext, View } from "../renderer.ts";
import type { RendererRegistry } from "../renderer-registry.ts";
import { renderStatus } from "../status.ts";
import { wrapColumns, wrapWords } from "../text.ts";
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
  markdown?: boolean;
  kernel?: string;
  diagnostics?: unknown[];
  meta?: { truncated?: boolean; totalLines?: number; totalBytes?: number; outputLines?: number; artifactId?: string };
}

interface PythonCell {
  code: string;
  title?: string | null;
  output?: string;
  status: CellStatus;
  durationMs?: number | null;
  statusEvents?: unknown[];
}

/** What a view of a call needs beside its result. */
export interface PythonViewOptions {
  registry: RendererRegistry;
  /** Milliseconds of a steady clock, for the time that a running cell has taken. */
  now?(): number;
}

/**
 * The view of one call of the `python` tool, from its start to its result: a frame a cell, then what the cells gave beside text.
 * `update` takes each state of the call; while a cell runs every drawing is new, afterwards drawings come from a cache.
 */
export class PythonView implements View {
  readonly #registry: RendererRegistry;
  readonly #now: () => number;
  readonly #startedAt = new Map<number, number>();
  #details: PythonDetails;
  #content: Content[] = [];
  #done = cachedView((context) => this.#draw(context));

  constructor(call: PythonCall, options: PythonViewOptions) {
    this.#registry = options.registry;
    this.#now = options.now ?? (() => performance.now());
    this.#details = { cells: call.cells.map((cell) => ({ ...cell, status: "pending" })) };
  }

  update(state: Pick<ToolResult, "content" | "details">): void {
    this.#details = { ...this.#details, ...(state.details as PythonDetails) };
    this.#content = state.content;
    for (const [index, cell] of this.#cells.entries()) {
      if (cell.status === "running" && !this.#startedAt.has(index)) this.#startedAt.set(index, this.#now());
    }
    this.#done = cachedView((context) => this.#draw(context));
  }

  /** Whether a cell runs, so that the view changes with time. */
  get running(): boolean {
    return this.#cells.some((cell) => cell.status === "running");
  }

  render(context: RenderContext): string[] {
    return this.running ? this.#draw(context) : this.#done.render(context);
  }

  get #cells(): PythonCell[] {
    return this.#details.cells ?? [];
  }

  #draw(context: RenderContext): string[] {
    const cells = this.#cells;
    const inner = { ...context, width: context.width - FRAME_COLUMNS };
    const gifts = this.#drawGifts(inner);
    const own = cells.length === 1 ? gifts : [];
    const lines = cells.flatMap((cell, index) => this.#drawCell(cell, index, own, context));
    if (cells.length !== 1 && gifts.length > 0) {
      lines.push(...renderSections("outputs", gifts, context));
    }
    return [...lines, ...this.#drawNotices(context)];
  }

  #drawCell(cell: PythonCell, index: number, extra: CellSection[], context: RenderContext): string[] {
    const count = this.#cells.length;
    const number = count > 1 ? `[${index + 1}/${count}]` : "";
    const inner = { ...context, width: context.width - FRAME_COLUMNS };
    const started = this.#startedAt.get(index);
    const elapsed = cell.status === "running" && started !== undefined ? this.#now() - started : cell.durationMs;
    return renderCodeCell(
      {
        code: cell.code,
        language: findLanguage(this.#details.kernel ?? "python") ?? "python",
        title: [number, cell.title ?? ""].filter((part) => part !== "").join(" "),
        status: cell.status,
        ...(typeof elapsed === "number" && { durationMs: elapsed }),
        sections: [
          { label: "output", lines: this.#drawOutput(cell, inner) },
          { label: "status", lines: (cell.statusEvents ?? []).flatMap((event) => renderStatus(event, inner)) },
          ...extra,
        ],
      },
      context,
    );
  }

  #drawOutput(cell: PythonCell, context: RenderContext): string[] {
    const text = (cell.output ?? "").replace(/\n$/, "");
    if (text === "") return [];
    const markdown = this.#details.markdown === true && this.#cells.length === 1 && cell.status === "complete";
    return markdown
      ? renderMarkdown(text, context)
      : excerptOf(cleanText(text, context.theme.colors !== "none"), context);
  }

  /** JSON, then pictures: what stands in the details of the call and belongs to no cell's text. */
  #drawGifts(context: RenderContext): CellSection[] {
    const json = (this.#details.jsonOutputs ?? []).flatMap((data) =>
      this.#registry.render({ type: "json", data }, context),
    );
    const pictures = this.#content.filter((block) => block.type === "image");
    const images = (this.#details.images ?? pictures).flatMap((facts, index) =>
      renderPicture(pictures[index], facts, context),
    );
    return [
      { label: "json", lines: json },
      { label: "images", lines: images },
    ].filter((section) => section.lines.length > 0);
  }

  #drawNotices({ theme, width }: RenderContext): string[] {
    const { meta, diagnostics = [] } = this.#details;
    const notices = diagnostics.map(textOf);
    if (meta?.truncated) notices.unshift(truncationNotice(meta));
    return notices.flatMap((notice) => wrapWords(theme.style("warning", cleanName(notice)), width));
  }
}

function excerptOf(text: string, context: RenderContext): string[] {
  const bounds = context.expanded
    ? { lines: PREVIEW_LIMITS.EXPANDED_LINES, characters: PREVIEW_LIMITS.EXPANDED_CHARACTERS }
    : { lines: PREVIEW_LIMITS.COLLAPSED_LINES * 2, characters: PREVIEW_LIMITS.COLLAPSED_CHARACTERS };
  return excerpt(text, context.width, bounds, context.theme, wrapColumns);
}

function renderSections(title: string, sections: CellSection[], context: RenderContext): string[] {
  return renderCodeCell({ code: "", title, sections }, context);
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
