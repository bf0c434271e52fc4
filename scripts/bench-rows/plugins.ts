import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BINARY, temporaryFolder } from "../../test/nuthatch.ts";
import { type BenchRow, type Contest, median } from "./row.ts";

const COUNT = 10;
const RUNS = 20;

/** What plugins on disk add to the start of a process that uses plugins. */
export const rows: BenchRow[] = [
  {
    name: `start-up cost of ${COUNT} plugins on disk`,
    unit: "ms",
    bar: { words: "at most 30 ms", limit: () => 30 },
    start: startPlugins,
  },
];

async function startPlugins(): Promise<Contest> {
  const bare = temporaryFolder();
  const full = temporaryFolder();
  const folder = join(full.path, "config", "plugins");
  mkdirSync(folder, { recursive: true });
  for (let index = 0; index < COUNT; index++) writeFileSync(join(folder, `plugin-${index}.ts`), pluginSource(index));
  return {
    ours: async () => {
      const without: number[] = [];
      const withPlugins: number[] = [];
      for (let run = 0; run < RUNS; run++) {
        without.push(timeStart(bare.path));
        withPlugins.push(timeStart(full.path));
      }
      return median(withPlugins) - median(without);
    },
    [Symbol.asyncDispose]: async () => {
      bare[Symbol.dispose]();
      full[Symbol.dispose]();
    },
  };
}

function timeStart(home: string): number {
  const start = performance.now();
  const run = Bun.spawnSync([BINARY, "plugins", "list", "--json"], { env: { ...process.env, NUTHATCH_HOME: home } });
  if (run.exitCode !== 0) throw new Error(run.stderr.toString());
  return performance.now() - start;
}

function pluginSource(index: number): string {
  return `import { definePlugin, renderTable, type Table } from "nuthatch/plugin";

interface Point { x: number; y: number }

export default definePlugin({
  name: "plugin-${index}",
  mime: [{ mime: "application/x-points-${index}+json", rank: 85, capture: (data) => ({ type: "points-${index}", data }),
    text: (data: Point[]) => data.map(({ x, y }) => \`\${x},\${y}\`).join(" ") }],
  renderers: [{ type: "points-${index}", render: (output, context) => {
    const table: Table = { rows: [["x", "y"], ...output.data.map((point: Point) => [String(point.x), String(point.y)])] };
    return renderTable(table, context);
  } }],
  hooks: { cellEnd() {} },
});
`;
}
