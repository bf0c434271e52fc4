import { definePlugin } from "nuthatch/plugin";

/** `image/svg+xml` is kept as a file; its text says how large it is and what its title is. */
export default definePlugin({
  name: "svg",
  mime: [
    {
      mime: "image/svg+xml",
      rank: 30,
      capture: (data) =>
        typeof data === "string"
          ? { type: "svg", data: describeSvg(data), file: { content: data, mimeType: "image/svg+xml" } }
          : undefined,
      text: (data) => (typeof data === "string" ? describeSvg(data) : undefined),
    },
  ],
  renderers: [{ type: "svg", render: (output, context) => [context.theme.style("muted", String(output.data))] }],
});

function describeSvg(source: string): string {
  const [tag = ""] = /<svg\b[^>]*>/i.exec(source) ?? [];
  const attribute = (name: string) => new RegExp(`\\s${name}\\s*=\\s*["']\\s*([^"']*)["']`, "i").exec(tag)?.[1]?.trim();
  const box = attribute("viewBox")?.split(/[\s,]+/);
  const width = attribute("width") ?? box?.[2];
  const height = attribute("height") ?? box?.[3];
  const title = /<title[^>]*>([^<]{1,200})</i.exec(source)?.[1]?.trim();
  const size = width === undefined || height === undefined ? "" : `, ${width} x ${height}`;
  return `SVG image${size}${title ? `: ${title}` : ""}`;
}
