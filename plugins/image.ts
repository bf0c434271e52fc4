import { definePlugin, type MimeHandler, renderImage } from "nuthatch/plugin";

const TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** Pictures as base64. They have no text: a placeholder such as `<IPython.core.display.Image object>` says nothing more. */
export default definePlugin({
  name: "image",
  mime: TYPES.map(handlePicture),
  renderers: [{ type: "image", render: renderImage }],
});

function handlePicture(mime: string): MimeHandler {
  return {
    mime,
    rank: 20,
    capture: (data) =>
      typeof data === "string" ? { type: "image", data: data.replace(/\s+/g, ""), mimeType: mime } : undefined,
    text: (data) => (typeof data === "string" ? "" : undefined),
  };
}
