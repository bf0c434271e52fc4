import type { CellSize } from "./kitty.ts";

/** The sequence that shows an encoded picture at the cursor (iTerm2, "Inline Images Protocol"). */
export function placeIterm(bytes: Uint8Array, { columns, rows }: CellSize): string {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
  const size = `size=${bytes.length};width=${columns};height=${rows};preserveAspectRatio=0`;
  return `\x1b]1337;File=inline=1;${size}:${data}\x07`;
}
