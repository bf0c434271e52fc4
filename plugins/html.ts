import { definePlugin, formatBytes, htmlToMarkdown } from "nuthatch/plugin";

/** UTF-16 units; of HTML that is longer the end has no Markdown, so that it is kept as a file. */
const LONG = 1_000_000;

/** `text/html` as Markdown, for what has no better representation. */
export default definePlugin({
  name: "html",
  mime: [
    {
      mime: "text/html",
      rank: 50,
      capture: (data) =>
        typeof data === "string" && data.length > LONG
          ? { type: "html", data: `HTML, ${formatBytes(data.length)}`, file: { content: data, mimeType: "text/html" } }
          : undefined,
      text: (data) => (typeof data === "string" ? htmlToMarkdown(data) : undefined),
    },
  ],
});
