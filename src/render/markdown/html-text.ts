const ENTITIES: Record<string, string> = {
  lt: "<",
  gt: ">",
  amp: "&",
  quot: '"',
  apos: "'",
  nbsp: " ",
  ndash: "–",
  mdash: "—",
};

/** The text that a piece of HTML shows, roughly: scripts, styles and tags gone, blocks on lines, images by their description. */
export function htmlText(html: string): string {
  return html
    .replace(/<!--[\s\S]*?(?:-->|$)|<(script|style)\b[\s\S]*?(?:<\/\1\s*>|$)/gi, "")
    .replace(/<img\b[^<>]*>/gi, (tag) => describeImage(tag))
    .replace(/<(?:br|hr|\/?(?:p|div|h[1-6]|ul|ol|li|tr|table|center|section|details|summary))\b[^<>]*>/gi, "\n")
    .replace(/<\/t[dh]>/gi, " ")
    .replace(/<\/?[a-zA-Z][^<>]*>/g, "")
    .replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,8}));/gi, (whole, decimal, hex, name) =>
      decode(whole, decimal, hex, name),
    )
    .replace(/[ \t]*\n\s*/g, "\n")
    .trim();
}

function describeImage(tag: string): string {
  const alt = tag.match(/\balt\s*=\s*(?:"([^"]*)"|'([^']*)')/i);
  const source = tag.match(/\bsrc\s*=\s*(?:"([^"]*)"|'([^']*)')/i);
  const text = alt?.[1] ?? alt?.[2] ?? "";
  const place = source?.[1] ?? source?.[2] ?? "";
  return `[image: ${text || (place.startsWith("data:") ? "embedded" : place)}]`;
}

function decode(whole: string, decimal?: string, hex?: string, name?: string): string {
  if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole;
  const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
  const safe =
    code >= 0x20 && code <= 0x10ffff && !(code >= 0x7f && code <= 0x9f) && !(code >= 0xd800 && code <= 0xdfff);
  return safe ? String.fromCodePoint(code) : "";
}
