/** Everything that a terminal could take for a command; the first alternative, colours, is what is kept. */
const CONTROLS = new RegExp(
  [
    "\\x1b\\[[\\d;:]{0,64}m",
    "(?:\\x1b\\[|\\x9b)[\\x30-\\x3f]*[\\x20-\\x2f]*[\\x40-\\x7e]?",
    "(?:\\x1b[\\]PX^_]|[\\x90\\x98\\x9d-\\x9f])[^\\x07\\x1b\\x9c\\n]*(?:\\x07|\\x1b\\\\|\\x9c)?",
    "\\x1b[\\x20-\\x2f]*[\\x30-\\x7e]?",
    "[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f]",
  ].join("|"),
  "g",
);
const DANGEROUS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;
const DIRECTIONS = /[\xad\u202a-\u202e\u2066-\u2069]/g;

/**
 * What a person may be shown of foreign text: colours (unless `colors` is off) and nothing else that acts. Characters that
 * reorder their surroundings go too, they can make a text read as another; letters of right-to-left scripts stay.
 */
export function cleanText(text: string, colors: boolean): string {
  if (!DANGEROUS.test(text)) return text.toWellFormed();
  return text
    .toWellFormed()
    .replace(/\r\n?|[\u2028\u2029]/g, "\n")
    .replace(CONTROLS, (found) => (colors && found.startsWith("\x1b[") && found.endsWith("m") ? found : ""))
    .replace(DIRECTIONS, "");
}

/** Code as it is: nothing acts, and a character that reorders or hides is shown by its number, so that it cannot deceive. */
export function cleanCode(source: string): string {
  if (!DANGEROUS.test(source)) return source.toWellFormed();
  return source
    .toWellFormed()
    .replace(/\r\n?|[\u2028\u2029]/g, "\n")
    .replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, codePointName)
    .replace(/\xad/g, "");
}

/** One line of foreign text, for a title, a name, or a path. */
export function cleanName(text: string): string {
  return cleanText(text, false)
    .replace(/[\n\t]+/g, " ")
    .trim();
}

function codePointName(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}
