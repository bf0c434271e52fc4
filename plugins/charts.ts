import { definePlugin, type Json, type MimeHandler } from "nuthatch/plugin";

const VEGA_TYPES = [2, 3, 4, 5, 6].map((version) => `application/vnd.vegalite.v${version}+json`);
const OLD_VEGA_TYPES = [2, 3, 4, 5, 6].map((version) => `application/vnd.vega.v${version}+json`);

/** Charts of Vega, Vega-Lite (Altair) and Plotly: their title, marks and size as text, their specification as a file. */
export default definePlugin({
  name: "charts",
  mime: [
    ...VEGA_TYPES.map((mime) => chart(mime, describeVegaLite)),
    ...OLD_VEGA_TYPES.map((mime) => chart(mime, describeVega)),
    chart("application/vnd.plotly.v1+json", describePlotly),
  ],
  renderers: [{ type: "chart", render: (output, context) => [context.theme.style("accent", String(output.data))] }],
});

function chart(mime: string, describe: (spec: Json) => string): MimeHandler {
  return {
    mime,
    rank: 80,
    capture: (spec) => ({
      type: "chart",
      data: describe(spec),
      file: { content: JSON.stringify(spec), mimeType: "application/json" },
    }),
    text: describe,
  };
}

function describeVegaLite(spec: Json): string {
  const views: Json[] = [spec?.layer, spec?.hconcat, spec?.vconcat, spec?.concat].find(Array.isArray) ?? [
    spec?.spec ?? spec,
  ];
  const marks = views.map((view) => (typeof view?.mark === "object" ? view.mark?.type : view?.mark));
  const axes = Object.entries<Json>(views[0]?.encoding ?? spec?.encoding ?? {}).flatMap(([channel, axis]) => {
    const value = [axis?.aggregate, axis?.field].filter((part) => typeof part === "string").join(" of ");
    return value === "" ? [] : `${channel}: ${value}`;
  });
  return sentence("Vega-Lite chart", titleOf(spec?.title), marks, axes, sizeOf(spec));
}

function describeVega(spec: Json): string {
  const marks = (Array.isArray(spec?.marks) ? spec.marks : []).map((mark: Json) => mark?.type);
  return sentence("Vega chart", titleOf(spec?.title), marks, [], sizeOf(spec));
}

function describePlotly(figure: Json): string {
  const traces: Json[] = Array.isArray(figure?.data) ? figure.data : [];
  const marks = traces.map((trace) => [trace?.type ?? "scatter", trace?.name].filter(Boolean).join(" "));
  const axis = (name: string) => titleOf(figure?.layout?.[name]?.title);
  const axes = ["xaxis", "yaxis"].flatMap((name) => (axis(name) ? `${name[0]}: ${axis(name)}` : []));
  return sentence("Plotly chart", titleOf(figure?.layout?.title), marks, axes, sizeOf(figure?.layout));
}

function sentence(kind: string, title: string, marks: unknown[], axes: string[], size: string): string {
  const names = [...new Set(marks.filter((mark) => typeof mark === "string" && mark !== ""))];
  const shown = names.slice(0, 10).join(", ") + (names.length > 10 ? `, ${names.length - 10} more` : "");
  const parts = [shown && `marks ${shown}`, axes.join(", "), size].filter(Boolean);
  return `${kind}${title ? ` "${title}"` : ""}${parts.length > 0 ? `: ${parts.join("; ")}` : ""}`;
}

function titleOf(title: Json): string {
  const text = typeof title === "object" ? title?.text : title;
  return [text]
    .flat()
    .filter((line) => typeof line === "string")
    .join(" ");
}

function sizeOf(spec: Json): string {
  return typeof spec?.width === "number" && typeof spec.height === "number" ? `${spec.width} x ${spec.height}` : "";
}
