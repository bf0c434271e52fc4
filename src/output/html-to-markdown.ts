import type { Element, Root as HtmlTree } from "hast";
import type { State } from "hast-util-to-mdast";
import type { Nodes } from "mdast";

/** HTML that is longer is converted only up to here: it takes about a second a megabyte. */
const MAX_UNITS = 1_000_000;

/**
 * HTML as GitHub-flavoured Markdown: tables stay tables, scripts and styles go, inline pictures keep only their description.
 * What nests too deeply comes back as its bare text; what is too long says how much of it is left out.
 */
export function htmlToMarkdown(html: string): string {
  const lean = dropElement(dropElement(html, "script"), "style");
  const left = lean.length - MAX_UNITS;
  return convertSafely(lean.slice(0, MAX_UNITS)) + (left > 0 ? `\n\n[${left} more characters of HTML]` : "");
}

function convertSafely(html: string): string {
  try {
    return convert(html).trim();
  } catch (error) {
    if (error instanceof RangeError) return html.replace(/<[^>]*>/g, "").trim();
    throw error;
  }
}

/** The converter is loaded when it is first needed; `require` because handlers of MIME types are synchronous. */
function convert(html: string): string {
  const { fromHtml } = require("hast-util-from-html") as typeof import("hast-util-from-html");
  const { toMdast } = require("hast-util-to-mdast") as typeof import("hast-util-to-mdast");
  const { toMarkdown } = require("mdast-util-to-markdown") as typeof import("mdast-util-to-markdown");
  const tables = require("mdast-util-gfm-table") as typeof import("mdast-util-gfm-table");
  const struck = require("mdast-util-gfm-strikethrough") as typeof import("mdast-util-gfm-strikethrough");
  const tree: HtmlTree = fromHtml(html, { fragment: true });
  const document: Nodes = toMdast(tree, { handlers: { img: describeImage } });
  const extensions = [tables.gfmTableToMarkdown({ tablePipeAlign: false }), struck.gfmStrikethroughToMarkdown()];
  return toMarkdown(document, { extensions, bullet: "-", rule: "-" });
}

/** A picture in a `data:` address would be the bulk of the text: what is left of it is its description. */
function describeImage(state: State, node: Element): Nodes | undefined {
  const source = String(node.properties.src ?? "");
  const alt = String(node.properties.alt ?? "");
  if (!source.startsWith("data:")) return { type: "image", url: state.resolve(source), alt };
  return alt === "" ? undefined : { type: "text", value: `[${alt}]` };
}

/** Takes out elements whose content is no HTML, before they cost time in the parser; one that never ends goes to the end. */
function dropElement(html: string, name: string): string {
  const lower = html.toLowerCase();
  let kept = "";
  let at = 0;
  for (;;) {
    const open = lower.indexOf(`<${name}`, at);
    if (open === -1) return kept + html.slice(at);
    kept += html.slice(at, open);
    const close = lower.indexOf(`</${name}`, open);
    const end = close === -1 ? -1 : lower.indexOf(">", close);
    if (end === -1) return kept;
    at = end + 1;
  }
}
