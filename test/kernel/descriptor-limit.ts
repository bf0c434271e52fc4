// Run with a low limit of open files: starts kernels until the limit is reached, tells the error, stops them, starts one more.
import { readdirSync } from "node:fs";
import { NuthatchError } from "../../src/errors.ts";
import type { Kernel } from "../../src/kernel/model.ts";
import { createTestHost, runCell } from "./host.ts";

await using host = createTestHost();
const countOpenFiles = () => readdirSync("/proc/self/fd").length;
await (await host.start("bundled")).shutdown();
const before = countOpenFiles();
const kernels: Kernel[] = [];
let failure: unknown;
while (failure === undefined && kernels.length < 64) {
  try {
    kernels.push(await host.start("bundled"));
  } catch (error) {
    failure = error;
  }
}
if (failure instanceof NuthatchError) console.log(`${failure.code}: ${failure.message}\n${failure.hint}`);
else console.log(failure);
await Promise.all(kernels.map((kernel) => kernel.shutdown()));
const last = await host.start("bundled");
console.log((await runCell(last, "print(6 * 7)")).text.trim());
await last.shutdown();
console.log(countOpenFiles() === before ? "descriptors as before" : `${before} descriptors, now ${countOpenFiles()}`);
