import { definePlugin, renderJsonTree } from "nuthatch/plugin";

/** `application/json` as the value itself, drawn as a tree. */
export default definePlugin({
  name: "json",
  mime: [
    {
      mime: "application/json",
      rank: 40,
      capture: (data) => ({ type: "json", data }),
      text: (data) => JSON.stringify(data, null, 2),
    },
  ],
  renderers: [{ type: "json", render: (output, context) => renderJsonTree(output.data, context) }],
});
