/** How a file writes characters beyond ASCII: as they are, or as `\u` escapes with small or capital letters. */
export type EscapeStyle = "none" | "lower" | "upper";

/** A JSON string, quotes included, written as `JSON.stringify` does but for the escapes of the file's own style. */
export function stringToken(text: string, style: EscapeStyle): string {
  const token = JSON.stringify(text);
  if (style === "none") return token;
  return token.replace(/[^\0-\x7f]/g, (unit) => {
    const digits = unit.charCodeAt(0).toString(16).padStart(4, "0");
    return `\\u${style === "upper" ? digits.toUpperCase() : digits}`;
  });
}

/** A file that is all ASCII and has escapes for other characters was written by something that escapes them all. */
export function escapeStyleOf(bytes: Buffer): EscapeStyle {
  const markLength = bytes[0] === 0xef ? 3 : 0;
  const { isAscii } = process.getBuiltinModule("node:buffer");
  if (!isAscii(bytes.subarray(markLength))) return "none";
  let style: EscapeStyle = "none";
  for (let at = bytes.indexOf("\\u"); at >= 0; at = bytes.indexOf("\\u", at + 2)) {
    const digits = bytes.toString("latin1", at + 2, at + 6);
    if (!isEscape(bytes, at) || Number.parseInt(digits, 16) < 0x80 || isLoneSurrogate(bytes, at)) continue;
    if (/[A-F]/.test(digits)) return "upper";
    if (/[a-f]/.test(digits)) return "lower";
    style = "lower";
  }
  return style;
}

/** Whether the backslash at `at` begins an escape: an even number of backslashes stands before it. */
function isEscape(bytes: Buffer, at: number): boolean {
  let before = at;
  while (bytes[before - 1] === 0x5c) before--;
  return (at - before) % 2 === 0;
}

/** Every writer escapes a surrogate that is alone, so it tells nothing. */
function isLoneSurrogate(bytes: Buffer, at: number): boolean {
  const around = bytes.toString("latin1", Math.max(0, at - 6), at + 12);
  const isHigh = /^d[89ab]/i.test(bytes.toString("latin1", at + 2, at + 6));
  const isLow = /^d[c-f]/i.test(bytes.toString("latin1", at + 2, at + 6));
  if (isHigh) return !/\\ud[c-f][\da-f]{2}$/i.test(around);
  return isLow && !/^\\ud[89ab][\da-f]{2}/i.test(around);
}
