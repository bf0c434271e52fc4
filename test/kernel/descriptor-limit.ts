// Run with a low limit of open files: starts kernels until the limit is reached, tells the error, stops them, starts one more.
import { readdirSync } from "node:fs";
import { NuthatchError } from "../../src/errors.ts";
import type { Kernel } from "../../src/kernel/model.ts";
import { createTestHost, runCell, until } from "./host.ts";

await using host = createTestHost();
const kernels: Kernel[] = [];
const told: Record<string, unknown> = {};
while (!told.failure && kernels.length < 64) {
  try {
    kernels.push(await host.start("bundled"));
  } catch (error) {
    told.failure = error instanceof NuthatchError ? [error.code, error.message, error.hint] : String(error);
  }
}
await Promise.all(kernels.map((kernel) => kernel.shutdown()));
const countOpenFiles = () => readdirSync("/proc/self/fd").length;
const before = countOpenFiles();
const last = await host.start("bundled");
told.text = (await runCell(last, "print(6 * 7)")).text;
await last.shutdown();
// A descriptor may be closed a turn later; one that is lost stays.
await until(() => countOpenFiles() <= before).catch(() => {});
told.left = Math.max(0, countOpenFiles() - before);
console.log(JSON.stringify(told));
