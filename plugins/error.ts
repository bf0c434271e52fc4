import { definePlugin, wrapColumns } from "nuthatch/plugin";

/** An exception, `{name, value, traceback}`, with the colours that the kernel gave its traceback. */
export default definePlugin({
  name: "error",
  mime: [
    {
      mime: "application/vnd.jupyter.error",
      capture: (data) =>
        typeof data?.name === "string"
          ? { type: "error", data: { name: data.name, value: data.message, traceback: [data.stack] } }
          : undefined,
      text: (data) => (data?.stack ? String(data.stack) : data?.name ? `${data.name}: ${data.message}` : undefined),
    },
  ],
  renderers: [
    {
      type: "error",
      render({ data }, { theme, width }) {
        const head = theme.style("error", `${data.name}: ${data.value}`);
        const traceback = [data.traceback].flat().filter((line) => typeof line === "string" && line !== "");
        return wrapColumns(traceback.length > 0 ? traceback.join("\n") : head, width);
      },
    },
  ],
});
