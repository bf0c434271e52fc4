import { describe, expect, test } from "bun:test";
import { readPictureSize } from "../../../src/output/picture-size.ts";
import { widthOf } from "../../../src/render/cells.ts";
import { type PictureDisplay, PicturePainter } from "../../../src/render/picture/picture-painter.ts";
import { readPixels, reduceColors } from "../../../src/render/picture/pixels.ts";
import { makePng, twoColors } from "./sample-pictures.ts";
import { decodeSixel } from "./sixel-decoder.ts";

const DISPLAY: PictureDisplay = {
  protocol: "blocks",
  tmux: false,
  colors: "truecolor",
  cell: { width: 10, height: 20 },
  rows: 10,
};
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");

/** What a painter draws once it is ready. */
async function paint(
  display: Partial<PictureDisplay>,
  bytes: Uint8Array,
  width = 40,
  mimeType = "image/png",
): Promise<string[]> {
  const painter = new PicturePainter({ ...DISPLAY, ...display });
  const picture = { data: base64(bytes), mimeType };
  expect(painter.lines(picture, width)).toBeUndefined();
  await painter.settle();
  expect(painter.pending).toBe(false);
  return painter.lines(picture, width) ?? [];
}

/** The bytes that kitty's commands carry, and the keys of the first. */
function readKitty(text: string): { keys: string; bytes: Buffer } {
  const commands = [...text.matchAll(/\x1b_G([^;]*);([^\x1b]*)\x1b\\/g)];
  expect(commands.every(([, , data]) => (data as string).length <= 4096)).toBe(true);
  expect(commands.map(([, keys]) => /\bm=([01])/.exec(keys as string)?.[1]).join("")).toMatch(/^1*0$/);
  return {
    keys: commands[0]?.[1] as string,
    bytes: Buffer.from(commands.map(([, , data]) => data).join(""), "base64"),
  };
}

describe("half blocks", () => {
  test("show two pixels a cell, transparent ones on white", async () => {
    const red = "38;2;255;0;0;48;2;255;0;0";
    const lines = await paint({ cell: { width: 1, height: 2 } }, twoColors(4, 4), 4);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toBe(`\x1b[${red}m▀▀\x1b[${red.replaceAll("255;0;0", "0;0;255")}m▀▀\x1b[0m`);
    expect(lines[1]).toContain("48;2;255;255;255");
  });

  test("use the nearest of 256 colours where there are no more", async () => {
    const lines = await paint({ colors: "256", cell: { width: 1, height: 2 } }, twoColors(4, 4), 4);
    expect(lines[0]).toBe("\x1b[38;5;196;48;5;196m▀▀\x1b[38;5;21;48;5;21m▀▀\x1b[0m");
  });

  test("keep the picture's proportions within the columns and rows", async () => {
    const wide = await paint({}, twoColors(4000, 400), 30);
    expect([wide.length, widthOf(wide[0] as string)]).toEqual([2, 30]);
    const high = await paint({}, twoColors(100, 4000), 30);
    expect([high.length, widthOf(high[0] as string)]).toEqual([10, 1]);
  });
});

describe("kitty", () => {
  test("gets a PNG in chunks, drawn over rows that are already there", async () => {
    const noise = makePng(120, 80, (x, y) => [(x * 7919) & 255, (y * 104729) & 255, (x * y * 31) & 255, 255]);
    const lines = await paint({ protocol: "kitty" }, noise);
    expect(lines.slice(0, -1)).toEqual(["", "", ""]);
    expect(lines.at(-1)).toStartWith("\x1b7\x1b[3A\x1b_G");
    expect(lines.at(-1)).toEndWith("\x1b\\\x1b8");
    const { keys, bytes } = readKitty(lines.at(-1) as string);
    expect(keys).toBe("a=T,f=100,q=2,C=1,c=12,r=4,m=1");
    expect(bytes).toEqual(Buffer.from(noise));
  });

  test("gets a large picture, and one of another format, as a small PNG", async () => {
    const { bytes } = readKitty((await paint({ protocol: "kitty" }, twoColors(3000, 1000))).at(-1) as string);
    expect(readPictureSize(bytes)).toEqual({ width: 400, height: 140 });
    const jpeg = await new Bun.Image(twoColors(40, 40)).jpeg().bytes();
    const converted = readKitty((await paint({ protocol: "kitty" }, jpeg, 40, "image/jpeg")).at(-1) as string);
    expect(readPictureSize(converted.bytes)).toEqual({ width: 40, height: 40 });
  });

  test("behind tmux gets its data passed through, and placeholders that tmux takes for text", async () => {
    const lines = await paint({ protocol: "kitty", tmux: true }, twoColors(40, 60));
    expect(lines).toHaveLength(3);
    const [, passed = "", placeholders = ""] = /^(\x1bPtmux;.*\x1b\\)(\x1b\[38;2;.*)$/s.exec(lines[0] as string) ?? [];
    const { keys, bytes } = readKitty(passed.replace(/^\x1bPtmux;|\x1b\\$/g, "").replaceAll("\x1b\x1b", "\x1b"));
    expect(bytes).toEqual(Buffer.from(twoColors(40, 60)));
    const id = Number(/i=(\d+)/.exec(keys)?.[1]);
    expect(keys).toBe(`a=T,U=1,f=100,q=2,i=${id},c=4,r=3,m=0`);
    const color = `\x1b[38;2;${id >> 16};${(id >> 8) & 255};${id & 255}m`;
    const row = (mark: string) => `${color}\u{10eeee}${mark}\u0305${"\u{10eeee}".repeat(3)}\x1b[39m`;
    expect([placeholders, ...lines.slice(1)]).toEqual([row("\u0305"), row("\u030d"), row("\u030e")]);
    expect(lines.slice(1).map((line) => widthOf(line))).toEqual([4, 4]);
  });
});

describe("iTerm2", () => {
  test("gets the file with its size in cells", async () => {
    const lines = await paint({ protocol: "iterm" }, twoColors(40, 60));
    const file =
      /^\x1b7\x1b\[2A\x1b\]1337;File=inline=1;size=(\d+);width=4;height=3;preserveAspectRatio=0:(.*)\x07\x1b8$/.exec(
        lines[2] as string,
      );
    expect(Number(file?.[1])).toBe(twoColors(40, 60).length);
    expect(file?.[2]).toBe(base64(twoColors(40, 60)));
  });

  test("behind tmux gets all of it in one sequence, from where the last written character put the cursor", async () => {
    const lines = await paint({ protocol: "iterm", tmux: true }, twoColors(40, 60));
    expect(lines[2]).toMatch(/^ \x1bPtmux;\x1b\x1b7\x1b\x1b\[2A\x1b\x1b\[1D\x1b\x1b\]1337;.*\x07\x1b\x1b8\x1b\\$/s);
  });
});

describe("sixel", () => {
  test("gets every pixel in its colour", async () => {
    const lines = await paint({ protocol: "sixel" }, twoColors(40, 40));
    expect(lines).toHaveLength(2);
    const { width, height, pixels } = decodeSixel((lines[1] as string).replace(/^\x1b7\x1b\[1A|\x1b8$/g, ""));
    expect([width, height]).toEqual([40, 40]);
    expect(pixels[0]).toBe("255,0,0");
    expect(pixels[39]).toBe("0,0,255");
    expect(pixels[39 * 40]).toBe("255,255,255");
    expect(pixels).not.toContain(undefined);
  });

  test("gets a photograph in at most 256 colours that are near its own", async () => {
    const photo = makePng(64, 64, (x, y) => [x * 4, y * 4, 128, 255]);
    const pixels = await readPixels(photo, 64, 64);
    const { indices, palette } = await reduceColors(pixels);
    expect(palette.length).toBeLessThanOrEqual(768);
    let distance = 0;
    for (const [at, index] of indices.entries())
      distance += Math.abs((palette[index * 3] as number) - (pixels.rgb[at * 3] as number));
    expect(distance / indices.length).toBeLessThan(16);
  });
});

describe("a painter", () => {
  test("draws nothing for what is no picture, and for a file that claims to be enormous", async () => {
    const bomb = Buffer.from(twoColors(4, 4));
    bomb.writeUInt32BE(60_000, 16);
    bomb.writeUInt32BE(60_000, 20);
    for (const bytes of [Buffer.from("<svg/>"), Buffer.alloc(0), bomb]) expect(await paint({}, bytes)).toEqual([]);
  });

  test("does not decode where pictures are not shown", () => {
    const painter = new PicturePainter({ ...DISPLAY, protocol: "none" });
    expect(painter.lines({ data: base64(twoColors(4, 4)), mimeType: "image/png" }, 10)).toBeUndefined();
    expect(painter.pending).toBe(false);
  });
});

describe("the size of a picture", () => {
  test("is read from the first bytes of each format", async () => {
    const png = twoColors(33, 21);
    const size = { width: 33, height: 21 };
    expect(readPictureSize(png)).toEqual(size);
    expect(readPictureSize(await new Bun.Image(png).jpeg().bytes())).toEqual(size);
    expect(readPictureSize(await new Bun.Image(png).webp().bytes())).toEqual(size);
    expect(readPictureSize(await new Bun.Image(png).webp({ lossless: true }).bytes())).toEqual(size);
    expect(readPictureSize(Buffer.from("R0lGODlhAQABAIAAAAUEBAAAACwAAAAAAQABAAACAkQBADs=", "base64"))).toEqual({
      width: 1,
      height: 1,
    });
    expect(readPictureSize(Buffer.from("<svg/>"))).toBeUndefined();
    expect(readPictureSize(png.subarray(0, 10))).toBeUndefined();
  });
});
