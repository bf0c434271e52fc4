import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createTestHost, runCell } from "./host.ts";
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
        expect({ children: childrenOf(process.pid), files: countOpenFiles() }).toEqual(before);
        expect(host.connectionFiles()).toEqual([]);
      },
      120_000,
    );
  }

  test("at the limit of open files is a clear error, and works again once others are stopped", async () => {
    const script = join(import.meta.dir, "descriptor-limit.ts");
    const child = Bun.spawn(["sh", "-c", `ulimit -n 64 && exec "${process.execPath}" "${script}"`], {
      stdout: "pipe",
      stderr: "inherit",
    });
    const lines = (await new Response(child.stdout).text()).trim().split("\n");
    expect(await child.exited).toBe(0);
    expect(lines[0]).toBe("too_many_open_files: Kernel nuthatch cannot start: too many open files");
    expect(lines[1]).toContain("ulimit -n");
    expect(lines[2]).toBe("42");
    expect(lines[3]).toBe("descriptors as before");
  });
});
