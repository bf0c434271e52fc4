import { definePlugin, htmlToMarkdown } from "nuthatch/plugin";

/** `text/html` as Markdown, for what has no better representation. */
export default definePlugin({
  name: "html",
  mime: [
    {
      mime: "text/html",
      rank: 50,
      text: (data) => (typeof data === "string" ? htmlToMarkdown(data) : undefined),
    },
  ],
});
