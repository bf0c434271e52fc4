import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createTestHost, runCell, until } from "./host.ts";
import { REAL_KERNELS } from "./real-kernels.ts";

const CYCLES = { bundled: 200, python3: 5 };

function childrenOf(pid: number): string[] {
  const tasks = `/proc/${pid}/task`;
  return readdirSync(tasks).flatMap((task) =>
    readFileSync(join(tasks, task, "children"), "utf8")
      .split(" ")
      .filter(Boolean),
  );
}

function countOpenFiles(): number {
  return readdirSync("/proc/self/fd").length;
}

describe("starting and stopping kernels", () => {
  for (const { kernel, title, present, variables } of REAL_KERNELS) {
    const cycles = CYCLES[kernel as keyof typeof CYCLES];
    if (!cycles) continue;
    test.skipIf(!present)(
      `${cycles} times with ${title} leaves no process, descriptor or file behind`,
      async () => {
        await using host = createTestHost(variables);
        await (await host.start(kernel)).shutdown();
        const before = { children: childrenOf(process.pid), files: countOpenFiles() };
        for (let cycle = 0; cycle < cycles; cycle++) {
          const started = await host.start(kernel);
          if (cycle % 10 === 0) expect((await runCell(started, "print(6 * 7)")).text).toBe("42\n");
          await started.shutdown();
        }
        await until(() => countOpenFiles() <= before.files);
        expect(childrenOf(process.pid)).toEqual(before.children);
        expect(host.connectionFiles()).toEqual([]);
      },
      120_000,
    );
  }

  // A kernel needs fewer than ten descriptors, so that these limits end at each step of a start.
  for (let limit = 32; limit < 40; limit++) {
    test(`with ${limit} open files is a clear error, and works again once others are stopped`, async () => {
      const script = join(import.meta.dir, "descriptor-limit.ts");
      const command = `ulimit -n ${limit} && exec "${process.execPath}" "${script}"`;
      const child = Bun.spawn(["sh", "-c", command], { stdout: "pipe", stderr: "inherit" });
      const told = JSON.parse(await new Response(child.stdout).text());
      expect(await child.exited).toBe(0);
      expect(told.left).toBe(0);
      expect(told).toMatchObject({
        failure: [
          "too_many_open_files",
          expect.stringMatching(/^Kernel (bundled|nuthatch) cannot start: too many open files$/),
          "stop other sessions (nuthatch sessions), or raise the limit with ulimit -n",
        ],
        text: "42\n",
      });
    });
  }
});
