import { widthOf } from "./cells.ts";
import { cleanName, cleanText } from "./clean.ts";
import { type CodeCell, renderCode } from "./code-cell.ts";
import { safeCut } from "./excerpt.ts";
import { latexToLines, latexToText } from "./latex.ts";
import { PREVIEW_LIMITS } from "./limits.ts";
import { htmlText } from "./markdown/html-text.ts";
import type { Block, Inline, ListItem } from "./markdown/model.ts";
import { parseMarkdown } from "./markdown/parse.ts";
import type { Picture, RenderContext } from "./renderer.ts";
import { renderTable } from "./table.ts";
import { wrapWords } from "./text.ts";

/** What a Markdown text may refer to. */
export interface MarkdownOptions {
  /** The picture behind an image's address, where there is one (`attachment:` of a cell). */
  findPicture?(source: string): Picture | undefined;
}

const LONGEST_CODE = 1000;
/** Columns that a nested block needs; deeper ones are drawn without their indentation. */
const NARROWEST = 12;

/** Markdown as terminal lines. Links show where they lead; nothing in the text can act on the terminal. */
export function renderMarkdown(text: string, context: RenderContext, options: MarkdownOptions = {}): string[] {
  const { theme, expanded } = context;
  const limit = expanded ? PREVIEW_LIMITS.MARKDOWN_CHARACTERS : PREVIEW_LIMITS.COLLAPSED_CHARACTERS;
  const lines = drawMarkdown(cleanText(text.slice(0, safeCut(text, limit)), false), context, options);
  if (text.length <= limit) return lines;
  return [...lines, theme.style("muted", `… ${(text.length - limit).toLocaleString("en")} characters more`)];
}

/** Markdown that nests deeper than the stack goes is shown as it was written. */
function drawMarkdown(text: string, context: RenderContext, options: MarkdownOptions): string[] {
  try {
    return drawBlocks(parseMarkdown(text), context, options, true);
  } catch (error) {
    if (error instanceof RangeError) return wrapWords(text, context.width);
    throw error;
  }
}

function drawBlocks(blocks: Block[], context: RenderContext, options: MarkdownOptions, spaced: boolean): string[] {
  return blocks.flatMap((block, index) => {
    const lines = drawBlock(block, context, options);
    return spaced && index > 0 ? ["", ...lines] : lines;
  });
}

function drawBlock(block: Block, context: RenderContext, options: MarkdownOptions): string[] {
  const { theme, width } = context;
  switch (block.kind) {
    case "heading":
      return drawHeading(block.level, block.children, context);
    case "paragraph":
      return drawParagraph(block.children, context, options);
    case "math":
      return nest("  ", context, (inner) => latexToLines(block.text, inner.width));
    case "code":
      return nest("  ", context, (inner) => renderCode(codeOf(block), inner));
    case "quote":
      return nest(`${theme.style("muted", "▌")} `, context, (inner) => drawBlocks(block.blocks, inner, options, true));
    case "list":
      return drawList(block.items, block.start, context, options);
    case "table":
      return renderTable(
        { rows: block.rows.map((row) => row.map((cell) => style(cell, context))), align: block.align },
        context,
      );
    case "rule":
      return [theme.style("muted", "─".repeat(width))];
  }
}

function drawHeading(level: number, children: Inline[], context: RenderContext): string[] {
  const { theme, width } = context;
  const lines = wrapWords(theme.style("heading", style(children, context)), width);
  if (level > 2) return lines;
  const length = Math.max(...lines.map((line) => widthOf(line)));
  return [...lines, theme.style("muted", (level === 1 ? "━" : "─").repeat(length))];
}

/** A paragraph; pictures that it names and that can be shown stand below it. */
function drawParagraph(children: Inline[], context: RenderContext, options: MarkdownOptions): string[] {
  const pictures = children.flatMap((inline) => {
    const picture = inline.kind === "image" ? options.findPicture?.(inline.source) : undefined;
    return picture === undefined ? [] : (context.picture?.(picture, context.width) ?? []);
  });
  return [...wrapWords(style(children, context), context.width), ...pictures];
}

function drawList(
  items: ListItem[],
  start: number | undefined,
  context: RenderContext,
  options: MarkdownOptions,
): string[] {
  const { theme } = context;
  const markOf = (item: ListItem, index: number) => {
    if (item.checked !== undefined) return item.checked ? "☑" : "☐";
    return start === undefined ? "•" : `${start + index}.`;
  };
  const columns = Math.max(...items.map((item, index) => widthOf(markOf(item, index)))) + 1;
  return items.flatMap((item, index) => {
    const mark = theme.style("accent", markOf(item, index).padStart(columns - 1));
    const lines = nest(" ".repeat(columns), context, (inner) => drawBlocks(item.blocks, inner, options, false));
    const [first = "", ...rest] = lines;
    return first === "" || first.startsWith(" ".repeat(columns))
      ? [`${mark} ${first.slice(columns)}`, ...rest]
      : [mark, ...lines];
  });
}

/** Inline content as one styled text; a line break is the only control character in it. */
function style(inlines: Inline[], context: RenderContext): string {
  return inlines.map((inline) => styleInline(inline, context)).join("");
}

function styleInline(inline: Inline, context: RenderContext): string {
  const { theme } = context;
  switch (inline.kind) {
    case "text":
      return inline.text;
    case "code":
      return theme.colors === "none" ? `\`${inline.text}\`` : theme.style("string", inline.text);
    case "math":
      return latexToText(inline.text);
    case "tag":
      return /^<br\b/i.test(inline.text) ? "\n" : theme.style("muted", htmlText(inline.text));
    case "strong":
    case "emphasis":
    case "struck":
      return theme.style(inline.kind, style(inline.children, context));
    case "link":
      return styleLink(inline.href, style(inline.children, context), context);
    case "image":
      return theme.style("muted", `[image: ${cleanName(inline.alt || addressOf(inline.source))}]`);
    case "break":
      return "\n";
  }
}

/** The text and, unless the text says it already, the address: a link cannot hide where it leads. */
function styleLink(href: string, text: string, { theme }: RenderContext): string {
  const address = addressOf(href);
  if (Bun.stripANSI(text) === address || address === "") return theme.style("link", text);
  return `${theme.style("link", text)} ${theme.style("muted", `(${address})`)}`;
}

function addressOf(address: string): string {
  const text = cleanName(address);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

function codeOf(block: Block & { kind: "code" }): CodeCell {
  return { code: block.text, maxLines: LONGEST_CODE, ...(block.language && { language: block.language }) };
}

/** Draws something behind a prefix; where that leaves no room to read, the prefix is left out. */
function nest(prefix: string, context: RenderContext, draw: (inner: RenderContext) => string[]): string[] {
  const width = context.width - widthOf(prefix);
  if (width < NARROWEST) return draw(context);
  return draw({ ...context, width }).map((line) => (line === "" ? prefix.trimEnd() : prefix + line));
}
