import { describe, expect, test } from "bun:test";
import type { CellOutput, Hooks } from "../../src/plugin/api.ts";
import { PluginHooks } from "../../src/plugin/hooks.ts";

const EVENT = { session: "s", cwd: "/", index: 0, title: null, code: "x" };
const stream = (text: string): CellOutput => ({ type: "stream", name: "stdout", text });

function makeHooks(...all: Hooks[]) {
  const failures: string[] = [];
  const owners = all.map((hooks, index) => ({ plugin: { name: `p${index}`, hooks }, source: `p${index}.ts` }));
  const hooks = new PluginHooks(owners, (source, prefix, error) => failures.push(`${source} ${prefix}${error}`));
  return { hooks, failures };
}

describe("hooks", () => {
  test("listeners are all told at once and waited for", async () => {
    const told: string[] = [];
    const slow = async () => {
      told.push("slow begins");
      await Bun.sleep(5);
      told.push("slow ends");
    };
    const { hooks, failures } = makeHooks({ cellStart: slow }, { cellStart: ({ code }) => told.push(`quick ${code}`) });
    await hooks.notify("cellStart", EVENT);
    expect(told).toEqual(["slow begins", "quick x", "slow ends"]);
    expect(failures).toEqual([]);
    expect([hooks.has("cellStart"), hooks.has("cellEnd")]).toEqual([true, false]);
  });

  test("an output goes from plugin to plugin; null drops it, nothing leaves it", () => {
    const { hooks } = makeHooks(
      { cellOutput: ({ output }) => (output.type === "stream" ? stream(`${output.text}1`) : undefined) },
      { cellOutput: ({ output }) => (output.type === "stream" ? stream(`${output.text}2`) : null) },
    );
    expect(hooks.changeOutput({ ...EVENT, output: stream("a") })).toEqual(stream("a12"));
    const display: CellOutput = { type: "display", bundle: {}, metadata: {} };
    expect(hooks.changeOutput({ ...EVENT, output: display })).toBeNull();
  });

  test("the first refusal keeps a notebook from being written", async () => {
    const asked: string[] = [];
    const { hooks } = makeHooks(
      { notebookWrite: async ({ path }) => (path === "a" ? false : undefined) },
      {
        notebookWrite: ({ path }) => {
          asked.push(path);
          return path === "b" ? "it holds a key" : true;
        },
      },
    );
    const write = (path: string) => hooks.refuseWrite({ path, content: "{}" });
    expect(await write("a")).toBe("the plugin p0 refused it");
    expect(await write("b")).toBe("the plugin p1 refused it: it holds a key");
    expect(await write("c")).toBeUndefined();
    expect(asked).toEqual(["b", "c"]);
  });

  test("one that throws, never ends, never answers or answers nonsense is named, not called again, and hides nobody", async () => {
    let calls = 0;
    const throwing = () => {
      calls++;
      throw new Error("boom");
    };
    const { hooks, failures } = makeHooks(
      { cellEnd: throwing, cellOutput: () => 42 as never, notebookWrite: () => new Promise(() => {}) },
      {
        cellEnd: () => {
          for (;;);
        },
        cellOutput: ({ output }) => output,
        notebookWrite: () => "no",
      },
    );
    const end = { ...EVENT, status: "complete" as const, durationMs: 1 };
    await hooks.notify("cellEnd", end);
    await hooks.notify("cellEnd", end);
    expect(calls).toBe(1);
    expect(hooks.changeOutput({ ...EVENT, output: stream("a") })).toEqual(stream("a"));
    expect(await hooks.refuseWrite({ path: "a", content: "" })).toBe("the plugin p1 refused it: no");
    expect(failures.map((failure) => failure.replace("NuthatchError", "Error"))).toEqual([
      "p0.ts hook cellEnd: Error: boom",
      "p1.ts hook cellEnd: Error: cut off after 1000 ms",
      "p0.ts hook cellOutput: TypeError: it must return an output, null or nothing",
      "p0.ts hook notebookWrite: Error: cut off after 2000 ms",
    ]);
  });
});
