import type { IndexedPixels } from "./pixels.ts";

/** A picture as a sixel sequence (VT330/VT340 Programmer Reference Manual, chapter 14): bands of six rows, one pass a colour. */
export function encodeSixel({ width, height, indices, palette }: IndexedPixels): string {
  const colors = Array.from({ length: palette.length / 3 }, (_, color) => {
    const percent = (offset: number) => Math.round(((palette[color * 3 + offset] as number) * 100) / 255);
    return `#${color};2;${percent(0)};${percent(1)};${percent(2)}`;
  });
  const bands: string[] = [];
  for (let top = 0; top < height; top += 6) bands.push(encodeBand(indices, width, top, Math.min(6, height - top)));
  return `\x1bP0;1;0q"1;1;${width};${height}${colors.join("")}${bands.join("-")}\x1b\\`;
}

/** `$` goes back to the left edge for the next colour; each character holds six pixels of a column. */
function encodeBand(indices: Uint8Array, width: number, top: number, rows: number): string {
  const passes = new Map<number, Uint8Array>();
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < width; column++) {
      const color = indices[(top + row) * width + column] as number;
      const pass = passes.get(color) ?? new Uint8Array(width);
      pass[column] = (pass[column] as number) | (1 << row);
      passes.set(color, pass);
    }
  }
  return [...passes].map(([color, pass]) => `#${color}${encodeRuns(pass)}`).join("$");
}

/** `!` and a count repeat a character; what is empty at the end needs nothing. */
function encodeRuns(pass: Uint8Array): string {
  let text = "";
  for (let start = 0; start < pass.length; ) {
    let end = start + 1;
    while (end < pass.length && pass[end] === pass[start]) end++;
    const character = String.fromCharCode(0x3f + (pass[start] as number));
    const count = end - start;
    if (end < pass.length || pass[start] !== 0) text += count > 3 ? `!${count}${character}` : character.repeat(count);
    start = end;
  }
  return text;
}
