import { definePlugin, renderMarkdown } from "nuthatch/plugin";

/** `text/markdown` is the text that a model reads best. */
export default definePlugin({
  name: "markdown",
  mime: [
    {
      mime: "text/markdown",
      rank: 90,
      capture: (data) => (typeof data === "string" ? { type: "markdown", data } : undefined),
      text: (data) => (typeof data === "string" ? data : undefined),
    },
  ],
  renderers: [{ type: "markdown", render: (output, context) => renderMarkdown(String(output.data), context) }],
});
