import { definePlugin, renderStatus } from "nuthatch/plugin";

/** Status events of helpers in a kernel, `{op, ...}`: for programs and people, never text. */
export default definePlugin({
  name: "status",
  mime: [
    {
      mime: "application/x-xcsh-status",
      rank: 100,
      capture: (data) => ({ type: "status", data }),
      text: () => "",
    },
  ],
  renderers: [{ type: "status", render: (output, context) => renderStatus(output.data, context) }],
});
