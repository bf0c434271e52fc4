import { htmlText } from "./html-text.ts";
import { type MathSpan, restoreMath, splitMath, takeMath } from "./math-spans.ts";
import type { Align, Block, Inline, ListItem } from "./model.ts";

/** What a callback of the parser leaves behind for its parent. */
type Node =
  | { kind: "blocks"; blocks: Block[] }
  | { kind: "inline"; inline: Inline }
  | { kind: "item"; item: ListItem }
  | { kind: "cell"; cell: Inline[]; align: Align }
  | { kind: "row"; row: Inline[][]; align: Align[] };

const REFERENCE = /\x01(\d+)\x02/;
/** Stand for two spaces, and for a backslash, at the end of a line: Bun's parser does not tell a hard break from a soft one. */
const SPACES = "\x03";
const BACKSLASH = "\x04";
const BREAK = /[\x03\x04]\n/;
const TAG = /^<(?:\/?[a-zA-Z][^<>]*|!--[\s\S]*--)>$/;
const RULE_OR_TABLE = /^[\s>]*[-=*_|:+`~\s]+$|\|\s*$/;

/** Parses Markdown as Jupyter reads it: GitHub's flavour with LaTeX. The text must hold no control characters. */
export function parseMarkdown(text: string): Block[] {
  const { text: marked, spans } = takeMath(text);
  const lines = marked.replace(/^.*\S(?: {2,}|\\)$/gm, (line) => {
    if (line.endsWith("\\")) return line.slice(0, -1) + BACKSLASH;
    return RULE_OR_TABLE.test(line) ? line : line.trimEnd() + SPACES;
  });
  return new TreeBuilder(spans).build(lines);
}

/** Makes a tree of Bun's bottom-up callbacks: each leaves its node in a list, and a reference to it in its parent's text. */
class TreeBuilder {
  readonly #nodes: Node[] = [];
  readonly #spans: readonly MathSpan[];

  constructor(spans: readonly MathSpan[]) {
    this.#spans = spans;
  }

  build(text: string): Block[] {
    return this.#blocks(Bun.markdown.render(text, { ...this.#blockCallbacks(), ...this.#inlineCallbacks() }));
  }

  #blockCallbacks(): Bun.markdown.RenderCallbacks {
    return {
      heading: (children, { level }) => this.#block({ kind: "heading", level, children: this.#inlines(children) }),
      paragraph: (children) => this.#paragraph(this.#inlines(children)),
      blockquote: (children) => this.#block({ kind: "quote", blocks: this.#blocks(children) }),
      code: (children, meta) => this.#code(this.#raw(children), meta?.language),
      list: (children, { ordered, start }) => this.#list(children, ordered ? (start ?? 1) : undefined),
      listItem: (children, { checked }) => this.#item(this.#blocks(children), checked),
      hr: () => this.#block({ kind: "rule" }),
      table: (children) => this.#table(children),
      thead: (children) => children,
      tbody: (children) => children,
      tr: (children) => this.#row(children),
      th: (children, meta) => this.#cell(children, meta?.align),
      td: (children, meta) => this.#cell(children, meta?.align),
      html: (children) => this.#html(htmlText(this.#raw(children))),
    };
  }

  #inlineCallbacks(): Bun.markdown.RenderCallbacks {
    return {
      strong: (children) => this.#inline({ kind: "strong", children: this.#inlines(children) }),
      emphasis: (children) => this.#inline({ kind: "emphasis", children: this.#inlines(children) }),
      strikethrough: (children) => this.#inline({ kind: "struck", children: this.#inlines(children) }),
      link: (children, { href }) => this.#inline({ kind: "link", href, children: this.#inlines(children) }),
      image: (children, { src }) => this.#inline({ kind: "image", source: src, alt: this.#raw(children) }),
      codespan: (children) => this.#inline({ kind: "code", text: this.#raw(children).replace(/\n/g, " ") }),
      text: (text) => (TAG.test(text) ? this.#inline({ kind: "tag", text }) : withoutReferences(text)),
    };
  }

  #leave(node: Node): string {
    return `\x01${this.#nodes.push(node) - 1}\x02`;
  }

  #block(block: Block): string {
    return this.#leave({ kind: "blocks", blocks: [block] });
  }

  #inline(inline: Inline): string {
    return this.#leave({ kind: "inline", inline });
  }

  #paragraph(inlines: Inline[]): string {
    return this.#leave({ kind: "blocks", blocks: paragraphs(inlines) });
  }

  #html(text: string): string {
    return text === "" ? "" : this.#paragraph([{ kind: "text", text }]);
  }

  #code(text: string, info: string | undefined): string {
    const language = info?.match(/^[\w.#+-]+/)?.[0];
    return this.#block({ kind: "code", text: text.replace(/\n$/, ""), ...(language && { language }) });
  }

  #list(children: string, start: number | undefined): string {
    const items = this.#parts(children).flatMap((part) =>
      typeof part !== "string" && part.kind === "item" ? [part.item] : [],
    );
    return this.#block({ kind: "list", items, ...(start !== undefined && { start }) });
  }

  #item(blocks: Block[], checked: boolean | undefined): string {
    return this.#leave({ kind: "item", item: { blocks, ...(checked !== undefined && { checked }) } });
  }

  #cell(children: string, align: Align = "left"): string {
    return this.#leave({ kind: "cell", cell: this.#inlines(children), align });
  }

  #row(children: string): string {
    const cells = this.#parts(children).filter((part) => typeof part !== "string" && part.kind === "cell");
    return this.#leave({ kind: "row", row: cells.map((cell) => cell.cell), align: cells.map((cell) => cell.align) });
  }

  #table(children: string): string {
    const rows = this.#parts(children).filter((part) => typeof part !== "string" && part.kind === "row");
    return this.#block({ kind: "table", align: rows[0]?.align ?? [], rows: rows.map((row) => row.row) });
  }

  #parts(children: string): (string | Node)[] {
    return children
      .split(REFERENCE)
      .map((part, index) => (index % 2 === 0 ? part : (this.#nodes[Number(part)] ?? "")))
      .filter((part) => part !== "");
  }

  /** Blocks, and what stands loose between them (the text of a tight list's item) as paragraphs. */
  #blocks(children: string): Block[] {
    const blocks: Block[] = [];
    let loose: Inline[] = [];
    const flush = () => {
      blocks.push(...paragraphs(loose));
      loose = [];
    };
    for (const part of this.#parts(children)) {
      if (typeof part === "string") loose.push(...this.#texts(part));
      else if (part.kind === "inline") loose.push(part.inline);
      else if (part.kind === "blocks") {
        flush();
        blocks.push(...part.blocks);
      }
    }
    flush();
    return blocks;
  }

  #inlines(children: string): Inline[] {
    return this.#parts(children).flatMap((part) => {
      if (typeof part === "string") return this.#texts(part);
      return part.kind === "inline" ? [part.inline] : [];
    });
  }

  /** Plain text, LaTeX and line breaks; a soft break is a space. */
  #texts(text: string): Inline[] {
    return splitMath(text, this.#spans).flatMap((part): Inline[] => {
      if (typeof part !== "string") return [{ kind: "math", text: part.tex, display: part.display }];
      const lines = part.split(BREAK).map((line) => withoutMarks(line).replace(/\n/g, " "));
      return lines.flatMap((line, index): Inline[] => [
        ...(index > 0 ? [{ kind: "break" } as const] : []),
        ...(line === "" ? [] : [{ kind: "text", text: line } as const]),
      ]);
    });
  }

  /** What was written, where it is no Markdown: in code, HTML and an image's description. */
  #raw(children: string): string {
    const text = this.#parts(children).map((part) => {
      if (typeof part === "string") return part;
      return part.kind === "inline" && "text" in part.inline ? part.inline.text : "";
    });
    return withoutMarks(restoreMath(text.join(""), this.#spans));
  }
}

/** Display math stands on lines of its own. */
function paragraphs(inlines: Inline[]): Block[] {
  const blocks: Block[] = [];
  let rest: Inline[] = [];
  const flush = () => {
    if (rest.some((inline) => inline.kind !== "text" || inline.text.trim() !== ""))
      blocks.push({ kind: "paragraph", children: rest });
    rest = [];
  };
  for (const inline of inlines) {
    if (inline.kind !== "math" || !inline.display) rest.push(inline);
    else {
      flush();
      blocks.push({ kind: "math", text: inline.text });
    }
  }
  flush();
  return blocks;
}

/** A character reference such as `&#1;` must not forge what the builder writes itself. */
function withoutReferences(text: string): string {
  return text.replace(/[\x00-\x02\x07\x08\x0b-\x1f\x7f-\x9f]/g, "");
}

function withoutMarks(text: string): string {
  return text.replaceAll(SPACES, "").replaceAll(BACKSLASH, "\\");
}
