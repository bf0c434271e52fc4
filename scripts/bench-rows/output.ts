import { join } from "node:path";
import { ArtifactStore } from "../../src/output/artifacts.ts";
import { OutputSink } from "../../src/output/streaming-output.ts";
import { temporaryFolder } from "../../test/nuthatch.ts";
import type { BenchRow, Contest } from "./row.ts";

const CHUNK_UNITS = 8192;
const PLAIN = `${"The quick brown fox jumps over the lazy dog, ".repeat(2)}and so on\n`;
const COLOURED = "\x1b[31mepoch\x1b[0m 12 \x1b[1;32mloss\x1b[0m 0.1234 \x1b[38;5;214maccuracy\x1b[0m 0.98\n";

/** Text through the sanitizer and the sink, its whole written to an artifact, in chunks as a kernel sends them. */
export const rows: BenchRow[] = [
  sinkRow("plain text", 400, () => PLAIN.repeat(600_000)),
  sinkRow("coloured text", 150, () => COLOURED.repeat(400_000)),
  sinkRow("a progress bar that is rewritten", 100, progressBar),
];

function sinkRow(what: string, least: number, makeText: () => string): BenchRow {
  return {
    name: `sanitizer and sink: ${what}`,
    unit: "MB/s",
    bar: { words: `at least ${least} MB/s`, limit: () => least, atLeast: true },
    start: async () => startSink(makeText()),
  };
}

async function startSink(text: string): Promise<Contest> {
  const home = temporaryFolder();
  const store = new ArtifactStore(join(home.path, "artifacts"));
  const chunks: string[] = [];
  for (let at = 0; at < text.length; at += CHUNK_UNITS) {
    chunks.push(Buffer.from(text.slice(at, at + CHUNK_UNITS)).toString());
  }
  const megabytes = Buffer.byteLength(text) / 1e6;
  return {
    ours: async () => {
      const sink = new OutputSink({ openArtifact: () => store.open({ mimeType: "text/plain" }) });
      const start = performance.now();
      for (const chunk of chunks) sink.push(chunk);
      const { artifactId } = sink.finish();
      const seconds = (performance.now() - start) / 1000;
      if (artifactId !== undefined) store.discard(artifactId);
      return megabytes / seconds;
    },
    [Symbol.asyncDispose]: async () => home[Symbol.dispose](),
  };
}

function progressBar(): string {
  let text = "";
  for (let step = 0; step < 400_000; step++) {
    const filled = Math.floor((step % 1000) / 100);
    const bar = "█".repeat(filled) + " ".repeat(10 - filled);
    text += `\r${String(Math.floor((step % 1000) / 10)).padStart(3)}%|${bar}| ${step}/400000 [00:12<00:34, 8123.45it/s]`;
  }
  return text;
}
