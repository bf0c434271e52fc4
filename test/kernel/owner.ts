// A program that owns kernels: starts those that it is told, tells their pids and that of a child of each, and waits.
import { createTestHost, sendCell } from "./host.ts";

const host = createTestHost(JSON.parse(process.argv[2]!));
const pids: number[] = [];
for (const kernel of process.argv.slice(3)) {
  const started = await host.start(kernel);
  pids.push(started.pid);
  if (kernel === "ir") continue;
  const code = "import os, subprocess\nprint(subprocess.Popen(['sleep', '1000']).pid)\nprint('end')";
  const cell = sendCell(started, code);
  pids.push(Number.parseInt((await cell.done).text, 10));
}
process.stdout.write(`${JSON.stringify({ home: host.home, pids })}\n`);
await new Promise(() => setInterval(() => {}, 2 ** 30));
