import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { ArtifactStore } from "../../src/output/artifacts.ts";
import type { Output } from "../../src/output/model.ts";
import { type KeepOptions, OutputKeeper } from "../../src/output/output-keeper.ts";

let home: string;
let store: ArtifactStore;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "nuthatch-keep-"));
  store = new ArtifactStore(join(home, "artifacts"));
});
afterEach(() => rmSync(home, { recursive: true }));

const save: KeepOptions["save"] = (bytes, mimeType) => store.save(bytes, { mimeType });
const discard = (id: string) => store.discard(id);

async function keepOutputs(outputs: readonly Output[], options: Omit<KeepOptions, "discard">) {
  const keeper = new OutputKeeper({ ...options, discard });
  return await keeper.keep(outputs.flatMap((output) => keeper.take(output)));
}
const LIMITS = { maxBytes: 1_000_000, maxPixels: 2000 };

/** A PNG of random pixels, which no encoder makes much smaller. */
function makePng(width: number, height: number): Buffer {
  const pixels = new Uint8Array((width * 3 + 1) * height);
  let seed = 7;
  for (let index = 0; index < pixels.length; index++) {
    seed = (seed * 1103515245 + 12345) & 0x7fffffff;
    pixels[index] = index % (width * 3 + 1) === 0 ? 0 : seed >> 16;
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(pixels)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const whole = Buffer.alloc(body.length + 8);
  whole.writeUInt32BE(data.length, 0);
  whole.set(body, 4);
  whole.writeUInt32BE(Bun.hash.crc32(Uint8Array.from(body)), body.length + 4);
  return whole;
}

const picture = (bytes: Uint8Array, mimeType = "image/png"): Output => ({
  type: "image",
  data: Buffer.from(bytes).toString("base64"),
  mimeType,
});

async function sizeOf(data: string) {
  const { width, height } = await new Bun.Image(Buffer.from(data, "base64")).metadata();
  return { width, height };
}

describe("OutputKeeper", () => {
  test("a picture within the limits is shown as it is and kept", async () => {
    const png = makePng(60, 40);
    const kept = await keepOutputs([picture(png)], { limits: LIMITS, save });
    expect(kept.blocks).toEqual([{ type: "image", data: png.toString("base64"), mimeType: "image/png" }]);
    expect(kept.images).toEqual([{ mimeType: "image/png", width: 60, height: 40, bytes: png.length, artifactId: "1" }]);
    expect(kept.notices).toEqual([]);
    expect(readFileSync(store.find("1").path).equals(png)).toBe(true);
  });

  test("one with too many pixels is made smaller, and its original is named", async () => {
    const png = makePng(900, 300);
    const limits = { maxBytes: 1_000_000, maxPixels: 450 };
    const kept = await keepOutputs([picture(png)], { limits, save });
    const [block] = kept.blocks;
    if (block?.type !== "image") throw new Error("no picture");
    expect(await sizeOf(block.data)).toEqual({ width: 450, height: 150 });
    expect(kept.images[0]).toMatchObject({ width: 900, height: 300, bytes: png.length, artifactId: "1" });
    expect(kept.notices[0]).toMatch(
      /^\[image\/png, 900 x 300, .* KiB: shown as 450 x 150\. All of it: artifact:\/\/1 /,
    );
  });

  test("one with too many bytes is encoded anew or made smaller until it fits", async () => {
    const png = makePng(600, 400);
    for (const maxBytes of [300_000, 20_000, 3000]) {
      const kept = await keepOutputs([picture(png)], { limits: { maxBytes, maxPixels: 2000 }, save });
      const [block] = kept.blocks;
      if (block?.type !== "image") throw new Error("no picture");
      expect(Buffer.from(block.data, "base64").length).toBeLessThanOrEqual(maxBytes);
      expect(await sizeOf(block.data)).toMatchObject({ width: expect.any(Number) });
    }
  });

  test("what cannot be decoded is named, never shown", async () => {
    const png = makePng(60, 40);
    const outputs = [picture(png.subarray(0, png.length - 40)), picture(Buffer.from("no picture at all"))];
    const kept = await keepOutputs(outputs, { limits: LIMITS, save });
    expect(kept.blocks).toEqual([]);
    expect(kept.notices).toHaveLength(2);
    expect(kept.notices.join("\n")).toContain("not a picture that can be read. All of it: artifact://1");
  });

  test("the type of a block is that of its bytes, whatever the kernel called it", async () => {
    const jpeg = await new Bun.Image(makePng(20, 20)).jpeg().bytes();
    const kept = await keepOutputs([picture(jpeg, "image/png")], { limits: LIMITS, save });
    expect(kept.blocks).toMatchObject([{ mimeType: "image/jpeg" }]);
  });

  test("of many pictures the last few are shown and all are kept", async () => {
    const png = makePng(8, 8);
    const kept = await keepOutputs(Array(8).fill(picture(png)), { limits: LIMITS, save });
    expect(kept.blocks).toHaveLength(5);
    expect(kept.images).toHaveLength(8);
    expect(kept.shown).toEqual([3, 4, 5, 6, 7]);
    expect(kept.notices).toEqual([
      expect.stringMatching(
        /^\[3 more pictures before these, .* B: not shown\. From artifact:\/\/1 to artifact:\/\/3\]$/,
      ),
    ]);
    expect(store.list()).toHaveLength(8);
  });

  test("of many or large pictures most are in their artifacts before the end, whole and shown all the same", async () => {
    const large = Buffer.concat([makePng(60, 40), Buffer.alloc(4_000_000)]);
    const keeper = new OutputKeeper({ limits: { maxBytes: 0, maxPixels: 0 }, save, discard });
    const held = [large, large, large, makePng(8, 8)].flatMap((png) => keeper.take(picture(png)));
    expect(held.map(({ bytes }) => bytes === undefined)).toEqual([true, false, false, false]);
    for (let index = 0; index < 6; index++) held.push(...keeper.take(picture(makePng(8, 8))));
    expect(held.filter(({ bytes }) => bytes !== undefined)).toHaveLength(5);
    const kept = await keeper.keep(held.slice(0, 4));
    expect(kept.blocks.map((block) => block.type === "image" && block.data.length)).toEqual([
      ...Array(3).fill(large.toString("base64").length),
      makePng(8, 8).toString("base64").length,
    ]);
    expect(readFileSync(store.find("1").path).equals(large)).toBe(true);
  });

  test("what is replaced or cleared leaves no artifact", async () => {
    const keeper = new OutputKeeper({ limits: LIMITS, save, discard });
    for (let frame = 0; frame < 20; frame++) keeper.drop(keeper.take(picture(makePng(8, 8))));
    expect(store.list()).toEqual([]);
    const many = Array.from({ length: 8 }, () => keeper.take(picture(makePng(8, 8)))).flat();
    expect(store.list()).toHaveLength(3);
    keeper.drop(many);
    expect(store.list()).toEqual([]);
  });

  test("files are kept and named", async () => {
    const svg: Output = { type: "svg", data: "SVG image", file: { content: "<svg/>", mimeType: "image/svg+xml" } };
    const kept = await keepOutputs([svg], { limits: LIMITS, save });
    expect(kept.notices).toEqual(["[svg, image/svg+xml, 6 B. All of it: artifact://1 (nuthatch artifact 1)]"]);
    expect(readFileSync(store.find("1").path, "utf8")).toBe("<svg/>");
  });

  test("a store that cannot take them costs only the artifacts", async () => {
    const closed = new ArtifactStore("/dev/null/artifacts");
    const outputs = [picture(makePng(8, 8)), { type: "svg", data: "", file: { content: "x", mimeType: "text/plain" } }];
    const kept = await keepOutputs(outputs, {
      limits: LIMITS,
      save: (bytes, mimeType) => closed.save(bytes, { mimeType }),
    });
    expect(kept.blocks).toHaveLength(1);
    expect(kept.images[0]?.artifactId).toBeNull();
    expect(kept.notices).toEqual([expect.stringContaining("It could not be saved: ")]);
  });
});
