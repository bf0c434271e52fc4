import { definePlugin, renderLatex } from "nuthatch/plugin";

/** `text/latex` as its source for a model, and as Unicode where possible for a person. */
export default definePlugin({
  name: "latex",
  mime: [
    {
      mime: "text/latex",
      rank: 60,
      capture: (data) => (typeof data === "string" ? { type: "latex", data } : undefined),
      text: (data) => (typeof data === "string" ? data : undefined),
    },
  ],
  renderers: [{ type: "latex", render: (output, context) => renderLatex(String(output.data), context.width) }],
});
