/** How many cells a picture takes. */
export interface CellSize {
  columns: number;
  rows: number;
}

/** Base64 that one command may carry ("Remote client"). */
const CHUNK = 4096;
/** A private-use character that stands for one cell of a picture ("Unicode placeholders"). */
const PLACEHOLDER = "\u{10eeee}";
/** Combining characters that number the rows of placeholders, from 0 on. */
const ROW_MARKS = [
  ..."\u0305\u030d\u030e\u0310\u0312\u033d\u033e\u033f\u0346\u034a\u034b\u034c\u0350\u0351\u0352\u0357\u035b\u0363\u0364\u0365",
  ..."\u0366\u0367\u0368\u0369\u036a\u036b\u036c\u036d\u036e\u036f\u0483\u0484\u0485\u0486\u0487\u0592\u0593\u0594\u0595\u0597",
];

/** The most rows that placeholders can number. */
export const MOST_PLACEHOLDER_ROWS = ROW_MARKS.length;

/** Commands that send a PNG and show it at the cursor, which stays (kitty, "Terminal graphics protocol"). */
export function placeKitty(png: Uint8Array, { columns, rows }: CellSize): string {
  return sendKitty(png, `a=T,f=100,q=2,C=1,c=${columns},r=${rows}`).join("");
}

/** Commands that send a PNG under a number, to be shown wherever {@link kittyPlaceholders} of that number stand. */
export function sendVirtualKitty(png: Uint8Array, id: number, { columns, rows }: CellSize): string[] {
  return sendKitty(png, `a=T,U=1,f=100,q=2,i=${id},c=${columns},r=${rows}`);
}

/** Rows of placeholders: ordinary text, so that a multiplexer can move, wrap and clear them. The colour names the picture. */
export function kittyPlaceholders(id: number, { columns, rows }: CellSize): string[] {
  const color = `\x1b[38;2;${(id >> 16) & 255};${(id >> 8) & 255};${id & 255}m`;
  return ROW_MARKS.slice(0, rows).map(
    (mark) => `${color}${PLACEHOLDER}${mark}${ROW_MARKS[0]}${PLACEHOLDER.repeat(columns - 1)}\x1b[39m`,
  );
}

function sendKitty(png: Uint8Array, keys: string): string[] {
  const data = Buffer.from(png.buffer, png.byteOffset, png.byteLength).toString("base64");
  const chunks = data.match(new RegExp(`.{1,${CHUNK}}`, "g")) ?? [""];
  return chunks.map((chunk, index) => {
    const more = `m=${index < chunks.length - 1 ? 1 : 0}`;
    return `\x1b_G${index === 0 ? `${keys},${more}` : `${more},q=2`};${chunk}\x1b\\`;
  });
}
