// Runs the rows of scripts/bench-rows, each measurement ROUNDS times in turns with its peer's, and prints medians and ratios.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type BenchRow, median } from "./bench-rows/row.ts";

const ROUNDS = 5;
const folder = join(import.meta.dir, "bench-rows");
const wanted = process.argv.slice(2);
let missed = 0;

process.stdout.write(`${line("row", "ours", "peer", "ratio", "limit", "bar")}\n`);
for (const file of readdirSync(folder).sort()) {
  if (!file.endsWith(".ts") || file === "row.ts") continue;
  const { rows } = (await import(join(folder, file))) as { rows: BenchRow[] };
  for (const row of rows) if (wanted.every((word) => row.name.includes(word))) await measure(row);
}
process.exit(missed === 0 ? 0 : 1);

async function measure(row: BenchRow): Promise<void> {
  await using contest = await row.start();
  const ours: number[] = [];
  const peers: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    ours.push(await contest.ours());
    if (contest.peer) peers.push(await contest.peer());
  }
  const [own, peer] = [median(ours), peers.length === 0 ? Number.NaN : median(peers)];
  const limit = row.bar.limit(peer);
  const holds = row.bar.atLeast ? own >= limit : own <= limit;
  if (!holds) missed++;
  const [ownText, peerText, limitText] = [own, peer, limit].map((value) => amount(value, row.unit)) as [
    string,
    string,
    string,
  ];
  const ratio = Number.isNaN(peer) ? "" : (own / peer).toFixed(2);
  process.stdout.write(
    `${line(row.name, ownText, peerText, ratio, limitText, row.bar.words)}${holds ? "" : "  MISSED"}\n`,
  );
}

function amount(value: number, unit: string): string {
  return Number.isNaN(value) ? "" : `${value < 100 ? value.toPrecision(3) : Math.round(value)} ${unit}`;
}

function line(name: string, ours: string, peer: string, ratio: string, limit: string, bar: string): string {
  const numbers = [ours, peer, ratio, limit].map((text) => text.padStart(10)).join(" ");
  return `${name.padEnd(64)} ${numbers}  ${bar}`;
}
