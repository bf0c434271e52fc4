import type { ColorDepth } from "../theme.ts";
import type { Pixels } from "./pixels.ts";

/** A picture as rows of half blocks, two pixels above each other in a cell; the height must be even. Needs 256 colours or more. */
export function drawHalfBlocks({ width, height, rgb }: Pixels, colors: ColorDepth): string[] {
  const rows: string[] = [];
  for (let row = 0; row + 1 < height; row += 2) {
    let line = "";
    let last = "";
    for (let column = 0; column < width; column++) {
      const upper = colorOf(rgb, (row * width + column) * 3, colors);
      const lower = colorOf(rgb, ((row + 1) * width + column) * 3, colors);
      const style = `\x1b[38;${upper};48;${lower}m`;
      line += style === last ? "▀" : `${style}▀`;
      last = style;
    }
    rows.push(`${line}\x1b[0m`);
  }
  return rows;
}

/** The SGR parameters of a colour after 38 or 48: 24-bit, or the nearest of the cube and the greys of 256 colours. */
function colorOf(rgb: Uint8Array, at: number, colors: ColorDepth): string {
  const [red, green, blue] = [rgb[at] as number, rgb[at + 1] as number, rgb[at + 2] as number];
  if (colors === "truecolor") return `2;${red};${green};${blue}`;
  const spread = Math.max(red, green, blue) - Math.min(red, green, blue);
  if (spread < 12) {
    const grey = Math.round((red - 8) / 10);
    return `5;${grey < 0 ? 16 : grey > 23 ? 231 : 232 + grey}`;
  }
  const level = (value: number) => (value < 48 ? 0 : value < 115 ? 1 : Math.min(5, Math.floor((value - 35) / 40)));
  return `5;${16 + 36 * level(red) + 6 * level(green) + level(blue)}`;
}
