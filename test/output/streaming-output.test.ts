import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { ArtifactFile } from "../../src/output/artifact-file.ts";
import { ArtifactStore } from "../../src/output/artifacts.ts";
import { OutputSink, type OutputSinkOptions } from "../../src/output/streaming-output.ts";
import { sanitizeText } from "../../src/output/text-sanitizer.ts";
import { truncationNotice } from "../../src/output/truncation-notice.ts";

let home: string;
let store: ArtifactStore;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "nuthatch-sink-"));
  store = new ArtifactStore(join(home, "artifacts"));
});
afterEach(() => rmSync(home, { recursive: true }));

const openArtifact = () => store.open({ mimeType: "text/plain" });

function makeSink(options: OutputSinkOptions = {}): OutputSink {
  return new OutputSink({ openArtifact, ...options });
}

function pushCut(sink: OutputSink, text: string, sizes: number[]): void {
  for (let at = 0, turn = 0; at < text.length; turn++) {
    const size = 1 + (sizes[turn % sizes.length] as number);
    sink.push(text.slice(at, at + size));
    at += size;
  }
}

const piece = fc.oneof(
  fc.constantFrom(
    "line\n",
    "a",
    "é",
    "漢",
    "👩‍👩‍👧",
    "🇩🇪🇫🇷",
    "e\u0301\u0302",
    "\r",
    "\x1b[A",
    "\x1b[K",
    "\x1b[31m",
    "\b",
    "\ud83d",
  ),
  fc.constantFrom("x".repeat(300), "many\n".repeat(120), "word ".repeat(200)),
);
const stream = fc.array(piece, { maxLength: 80 }).map((pieces) => pieces.join(""));
const cuts = fc.array(fc.nat({ max: 60 }), { minLength: 1, maxLength: 8 });

describe("OutputSink", () => {
  test("shows a suffix of the whole, keeps the whole as artifact, and counts both, however the stream is cut", () => {
    fc.assert(
      fc.property(stream, cuts, fc.integer({ min: 1, max: 700 }), (text, sizes, maxBytes) => {
        const whole = sanitizeText(text);
        const sink = makeSink({ maxBytes });
        pushCut(sink, text, sizes);
        const dump = sink.finish();
        const once = makeSink({ maxBytes });
        once.push(text);
        expect({ ...dump, artifactId: "" }).toEqual({ ...once.finish(), artifactId: "" });
        expect(whole.endsWith(dump.text)).toBe(true);
        expect(dump.totalBytes).toBe(Buffer.byteLength(whole));
        expect(dump.outputBytes).toBe(Buffer.byteLength(dump.text));
        expect(dump.outputBytes).toBeLessThanOrEqual(maxBytes);
        expect(dump.totalLines).toBe(whole === "" ? 0 : whole.replace(/\n$/, "").split("\n").length);
        expect(dump.truncated).toBe(Buffer.byteLength(whole) > maxBytes);
        if (!dump.truncated) expect(dump.text).toBe(whole);
        else expect(readFileSync(store.find(dump.artifactId as string).path, "utf8")).toBe(whole);
      }),
      { numRuns: 150 },
    );
  });

  test("never splits a code point or a grapheme at the bound", () => {
    const graphemes = ["👩‍👩‍👧", "🇩🇪", "e\u0301\u0302", "漢", "👍🏽"];
    const text = graphemes.join("").repeat(50);
    const ends = new Set<string>();
    for (let maxBytes = 1; maxBytes < 120; maxBytes++) {
      const sink = makeSink({ maxBytes });
      sink.push(text);
      ends.add(sink.finish().text);
    }
    const segments = [...new Intl.Segmenter("en", { granularity: "grapheme" }).segment(text)].map(
      (part) => part.segment,
    );
    const suffixes = segments.map((_, index) => segments.slice(index).join(""));
    for (const end of ends) expect(end === "" || suffixes.includes(end)).toBe(true);
  });

  test("a bound of 0 shows everything", () => {
    const sink = makeSink({ maxBytes: 0 });
    for (let index = 0; index < 100; index++) sink.push("x".repeat(10_000));
    expect(sink.finish()).toMatchObject({ truncated: false, totalBytes: 1_000_000, outputBytes: 1_000_000 });
    expect(store.list()).toEqual([]);
  });

  test("the notice says how much is shown and how to get the rest", () => {
    const sink = makeSink({ maxBytes: 1000 });
    for (let index = 0; index < 1000; index++) sink.push(`line number ${index}\n`);
    expect(truncationNotice(sink.finish())).toBe(
      '[Output truncated: the last 1000 B of 15.5 KiB are shown, 63 of 1,000 lines. All of it: artifact://1 (nuthatch artifact 1, or output("1") in a cell)]',
    );
  });

  test("the output can be read while it runs, and its artifact is whole each time", () => {
    const sink = makeSink({ maxBytes: 100 });
    let whole = "";
    for (let index = 0; index < 2000; index++) {
      whole += `${index}\n`;
      sink.push(`${index}\n`);
      if (index % 500 !== 250) continue;
      const dump = sink.dump();
      expect(readFileSync(store.find(dump.artifactId as string).path, "utf8")).toBe(whole);
    }
    expect(readFileSync(store.find(sink.finish().artifactId as string).path, "utf8")).toBe(whole);
  });

  test("a full disk is reported and the output goes on, bounded", () => {
    const openFull = () => new ArtifactFile("1", "/dev/full", openSync("/dev/full", "w"), () => undefined);
    const sink = makeSink({ maxBytes: 1000, openArtifact: openFull });
    for (let index = 0; index < 5000; index++) sink.push(`line number ${index}\n`);
    const dump = sink.finish();
    expect(dump.text).toEndWith("line number 4999\n");
    expect(dump.spillError).toContain("ENOSPC");
    expect(dump.artifactId).toBeUndefined();
    expect(truncationNotice(dump)).toContain("The rest was not saved: ENOSPC");
  });

  test("a folder that cannot be written is reported and nothing fails", () => {
    const closed = new ArtifactStore("/dev/null/artifacts");
    const sink = makeSink({ maxBytes: 10, openArtifact: () => closed.open({ mimeType: "text/plain" }) });
    sink.push("more than ten bytes");
    const dump = sink.finish();
    expect(dump).toMatchObject({ truncated: true, text: " ten bytes" });
    expect(dump.spillError).toContain("ENOTDIR");
  });

  test("blocks stand on lines of their own, and one can be replaced", () => {
    const told: string[] = [];
    const sink = makeSink({ onText: (text) => told.push(text) });
    sink.push("before");
    sink.pushBlock("first\nversion", "display");
    sink.push("\x1b[5Aafter\n");
    expect(sink.replaceBlock("display", "second")).toBe(true);
    expect(sink.replaceBlock("other", "x")).toBe(false);
    expect(sink.finish().text).toBe("before\nsecond\nafter\n");
    expect(told.join("")).toBe("before\nfirst\nversion\nafter\n");
  });

  test("standard error goes on a line of its own, and rewrites only its own lines", () => {
    const sink = makeSink();
    sink.push("\r 0%", "stderr");
    sink.push("hello\n", "stdout");
    sink.push("\r50%", "stderr");
    sink.push("\r100%\n", "stderr");
    sink.push("bye", "stdout");
    sink.push("!\n", "stdout");
    expect(sink.finish().text).toBe(" 0%\nhello\n100%\nbye!\n");
    const bars = makeSink();
    bars.push("outer\n\rinner\x1b[A\n\r     \r\x1b[A\r outer done\n", "stderr");
    bars.push("hello\n", "stdout");
    expect(bars.finish().text).toBe(" outer done\nhello\n");
  });

  test("a sink takes over another one, what had left its memory and its blocks too", () => {
    const whole = "漢字 and more\n".repeat(20_000);
    const cell = makeSink({ maxBytes: 1000 });
    cell.push(whole);
    cell.pushBlock("first", "display");
    cell.finish();
    const call = makeSink({ maxBytes: 1000 });
    call.push("before");
    call.append(cell);
    call.push("after\n");
    expect(call.replaceBlock("display", "second")).toBe(true);
    const dump = call.finish();
    const expected = `before\n${whole}second\nafter\n`;
    expect(readFileSync(store.find(dump.artifactId as string).path, "utf8")).toBe(expected);
    expect(dump).toMatchObject({ totalBytes: Buffer.byteLength(expected), totalLines: 20_003 });
    expect(dump.text).toEndWith("more\nsecond\nafter\n");
  });

  test("a sink whose spill failed says so in the one that takes it over, which counts it all", () => {
    const cell = makeSink({
      maxBytes: 10,
      openArtifact: () => store.open({ mimeType: "text/plain", folder: "/dev/null" }),
    });
    for (let index = 0; index < 10; index++) cell.push("x".repeat(99_999).concat("\n"));
    cell.finish();
    const call = makeSink({ maxBytes: 1000 });
    call.append(cell);
    const dump = call.finish();
    expect(dump).toMatchObject({ truncated: true, totalBytes: 1_000_000 });
    expect(dump.spillError).toBeDefined();
    expect(store.list()).toEqual([]);
  });

  test("a block can be replaced after the end", () => {
    const sink = makeSink();
    sink.pushBlock("first", "display");
    expect(sink.finish().text).toBe("first\n");
    sink.replaceBlock("display", "second");
    expect(sink.dump()).toMatchObject({ text: "second\n", totalBytes: 7 });
  });

  test("clearing drops what was shown and what was spilled", () => {
    const sink = makeSink({ maxBytes: 100 });
    for (let index = 0; index < 5000; index++) sink.push(`old ${index}\n`);
    sink.clear();
    sink.push("new\n");
    expect(sink.finish()).toMatchObject({ text: "new\n", truncated: false, totalLines: 1, totalBytes: 4 });
  });

  test("a gigabyte goes through in under 100 MB of memory", async () => {
    const program = join(import.meta.dir, "../fixtures/push-gigabyte.ts");
    const child = Bun.spawn([process.execPath, program, join(home, "big")], { stdout: "pipe" });
    const report = JSON.parse(await new Response(child.stdout).text());
    expect(report).toMatchObject({ truncated: true, totalBytes: 2 ** 30, artifactBytes: 2 ** 30 });
    expect(report.maxResidentBytes).toBeLessThan(100_000_000);
  }, 60_000);
});
