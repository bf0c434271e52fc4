import type { Picture } from "../renderer.ts";
import type { ColorDepth } from "../theme.ts";
import { drawHalfBlocks } from "./half-blocks.ts";
import { placeIterm } from "./iterm.ts";
import { type CellSize, kittyPlaceholders, MOST_PLACEHOLDER_ROWS, placeKitty, sendVirtualKitty } from "./kitty.ts";
import { encodePng, measurePicture, readPixels, reduceColors } from "./pixels.ts";
import { encodeSixel } from "./sixel.ts";
import { passThrough } from "./tmux.ts";

/** How a terminal shows pictures: by a protocol of its own, by coloured half blocks, or not at all. */
export type PictureProtocol = "kitty" | "iterm" | "sixel" | "blocks" | "none";

/** What a painter must know of the terminal. */
export interface PictureDisplay {
  protocol: PictureProtocol;
  /** The terminal is reached through tmux, which lets sequences pass. */
  tmux: boolean;
  colors: ColorDepth;
  /** Pixels of one cell. */
  cell: { width: number; height: number };
  /** The most rows that a picture may take. */
  rows: number;
}

/**
 * Makes terminal lines of pictures. Decoding takes time, drawing must not: `lines` answers undefined for a picture that is not
 * ready and begins to decode it, `settle` waits for all that were begun. A picture that cannot be decoded has no lines.
 */
export class PicturePainter {
  readonly #display: PictureDisplay;
  readonly #ready = new Map<string, string[]>();
  readonly #pending = new Map<string, Promise<void>>();

  constructor(display: PictureDisplay) {
    this.#display = display;
  }

  lines(picture: Picture, width: number): string[] | undefined {
    if (this.#display.protocol === "none") return undefined;
    const key = `${width} ${Bun.hash(picture.data)}`;
    const lines = this.#ready.get(key);
    if (lines === undefined && !this.#pending.has(key)) this.#pending.set(key, this.#prepare(key, picture, width));
    return lines;
  }

  /** Whether a picture is being decoded, so that what was drawn is to be drawn again. */
  get pending(): boolean {
    return this.#pending.size > 0;
  }

  async settle(): Promise<void> {
    await Promise.all(this.#pending.values());
  }

  /** Forgets the lines of all pictures; each may be a megabyte. */
  clear(): void {
    this.#ready.clear();
  }

  async #prepare(key: string, picture: Picture, width: number): Promise<void> {
    try {
      this.#ready.set(key, await drawPicture(Buffer.from(picture.data, "base64"), width, this.#display));
    } catch {
      this.#ready.set(key, []);
    } finally {
      this.#pending.delete(key);
    }
  }
}

async function drawPicture(bytes: Uint8Array, width: number, display: PictureDisplay): Promise<string[]> {
  const size = await measurePicture(bytes);
  if (size === undefined) return [];
  const cells = fitCells(size, width, display);
  const pixels = { width: cells.columns * display.cell.width, height: cells.rows * display.cell.height };
  if (display.protocol === "blocks") {
    return drawHalfBlocks(await readPixels(bytes, cells.columns, cells.rows * 2), display.colors);
  }
  if (display.protocol === "sixel") {
    const indexed = await reduceColors(await readPixels(bytes, pixels.width, pixels.height));
    return raisedLines(encodeSixel(indexed), cells, false);
  }
  const small = size.width <= pixels.width * 2 && size.format === "png";
  const png = small ? bytes : await encodePng(bytes, pixels.width, pixels.height);
  if (display.protocol === "iterm") return raisedLines(placeIterm(png, cells), cells, display.tmux);
  return display.tmux ? placeholderLines(png, cells) : raisedLines(placeKitty(png, cells), cells, false);
}

/** The cells of a picture at its own size, made smaller where there is no room for it. */
function fitCells(
  size: { width: number; height: number },
  width: number,
  { cell, rows, protocol }: PictureDisplay,
): CellSize {
  const most = Math.min(rows, protocol === "kitty" ? MOST_PLACEHOLDER_ROWS : rows);
  const scale = Math.min(1, (width * cell.width) / size.width, (most * cell.height) / size.height);
  const count = (pixels: number, unit: number, limit: number) =>
    Math.max(1, Math.min(limit, Math.round((pixels * scale) / unit)));
  return { columns: count(size.width, cell.width, width), rows: count(size.height, cell.height, most) };
}

/**
 * Empty rows, and in the last of them the picture, drawn from the first row on: the room is there before the picture is, so
 * that it never scrolls, and the cursor is back where it was. tmux moves the real cursor when it writes a character.
 */
function raisedLines(picture: string, { rows }: CellSize, tmux: boolean): string[] {
  const up = rows > 1 ? `\x1b[${rows - 1}A` : "";
  const last = tmux ? ` ${passThrough(`\x1b7${up}\x1b[1D${picture}\x1b8`)}` : `\x1b7${up}${picture}\x1b8`;
  return [...Array<string>(rows - 1).fill(""), last];
}

/** Placeholders for a terminal behind tmux; the picture's data goes before the first row. */
function placeholderLines(png: Uint8Array, cells: CellSize): string[] {
  const id = (Number(Bun.hash(png) & 0xffffffn) || 1) >>> 0;
  const [first = "", ...rest] = kittyPlaceholders(id, cells);
  return [sendVirtualKitty(png, id, cells).map(passThrough).join("") + first, ...rest];
}
