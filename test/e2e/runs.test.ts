import { expect, test } from "bun:test";
import { connectMcp } from "../mcp-client.ts";
import { callTool, runNuthatch, temporaryFolder } from "../nuthatch.ts";

const KERNEL = { NUTHATCH_KERNEL: "bundled" };

/** Calls a tool over MCP and returns its text, details and whether it failed. */
async function connect(home: string) {
  const connection = await connectMcp({ home, words: ["--structured"], env: KERNEL });
  const call = async (name: string, args: Record<string, unknown>) => {
    const result = await connection.client.callTool({ name, arguments: args });
    const text = result.content.map((block) => (block.type === "text" ? block.text : `<${block.type}>`)).join("");
    // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever fields it is about
    return { text, details: result.structuredContent as any, isError: result.isError };
  };
  const start = async (code: string) => {
    const cells = [{ code, title: "work" }];
    const started = await call("python", { cells, background: true });
    expect(started.text).toContain("it ends with this process");
    return started.details.runId as string;
  };
  return { call, start, [Symbol.asyncDispose]: () => connection.client.close() };
}

test("a background run answers at once, is read on from a cursor, and is waited for", async () => {
  using home = temporaryFolder();
  await using mcp = await connect(home.path);
  const id = await mcp.start(
    "import os, time\nprint('one', flush=True)\nwhile not os.path.exists('go'): time.sleep(0.01)\nprint('two'); 42",
  );
  const first = await mcp.call("runs", { action: "read", run_id: id, wait: 60 });
  expect(first.text).toMatch(/^one\n\[run \w+: running for [\d.]+ s; read on with cursor 4\]\n$/);
  const nothing = await mcp.call("runs", { action: "read", run_id: id, cursor: first.details.cursor });
  expect(nothing.text).toMatch(/^\[run /);
  const busy = await mcp.call("runs", { action: "wait", run_id: id, cursor: 4, wait: "0.05" });
  expect(busy.details).toMatchObject({ status: "running", cursor: 4 });
  await Bun.write(`${home.path}/go`, "");
  const last = await mcp.call("runs", { action: "wait", run_id: id, cursor: 4, wait: 60 });
  expect(last.text).toMatch(/^two\n42\n\[run \w+: done after [\d.]+ s\]\n$/);
  expect(last.details).toMatchObject({ status: "done", result: { cells: [{ status: "complete" }], cancelled: false } });
  expect((await mcp.call("runs", { action: "wait", run_id: id })).text).toStartWith("one\ntwo\n42\n");
  const list = await mcp.call("runs", { action: "list" });
  expect(list.details.runs).toMatchObject([{ runId: id, tool: "python", title: "work", status: "done", cursor: 11 }]);
});

test("of a long output the end is given, with where all of it is", async () => {
  using home = temporaryFolder();
  await using mcp = await connect(home.path);
  const id = await mcp.start("for i in range(20000): print(i)");
  const { text, details } = await mcp.call("runs", { action: "wait", run_id: id, wait: 60 });
  const { artifactId } = details.result.meta;
  expect(text).toStartWith(
    `[${details.leftOut} characters before this are left out. All of it: artifact://${artifactId} `,
  );
  expect(text.split("\n").at(-3)).toBe("19999");
});

test("an interrupted run is cancelled and its session keeps its state", async () => {
  using home = temporaryFolder();
  await using mcp = await connect(home.path);
  const id = await mcp.start("kept = 7\nimport time\nprint('started', flush=True)\ntime.sleep(600)");
  await mcp.call("runs", { action: "read", run_id: id, wait: 60 });
  const interrupted = await mcp.call("runs", { action: "interrupt", run_id: id });
  expect(interrupted).toMatchObject({ isError: true, details: { status: "cancelled", result: { cancelled: true } } });
  expect((await mcp.call("python", { cells: "kept" })).text).toBe("7\n");
});

test("a run that fails says so where its result is read, a bad call of runs where it is made", async () => {
  using home = temporaryFolder();
  await using mcp = await connect(home.path);
  const failed = await mcp.call("runs", { action: "wait", run_id: await mcp.start("1 / 0"), wait: 60 });
  expect(failed).toMatchObject({ isError: true, details: { status: "failed" } });
  expect(failed.text).toContain("ZeroDivisionError");
  const started = await mcp.call("python", { cells: "1", cwd: "/nowhere", background: true });
  const refused = await mcp.call("runs", { action: "wait", run_id: started.details.runId, wait: 60 });
  expect(refused.text).toContain("Error: Working directory does not exist: /nowhere");
  expect((await mcp.call("runs", { action: "wait" })).text).toContain("run_id is required for wait");
  const unknown = await mcp.call("runs", { action: "read", run_id: "nope" });
  expect(unknown).toMatchObject({ isError: true, details: { code: "run_not_found" } });
});

test("on the daemon a run outlives the client that started it", async () => {
  using home = temporaryFolder();
  const options = { home: home.path, env: KERNEL };
  try {
    const started = await callTool("python", { cells: "print(6 * 7)", background: true }, options);
    expect(started.text).toContain("it outlives this client");
    const { runId } = started.result.details;
    const waited = await callTool("runs", { action: "wait", run_id: runId, wait: 60 }, options);
    expect([waited.exitCode, waited.text]).toEqual([0, expect.stringMatching(/^42\n\[run \w+: done after/)]);
  } finally {
    await runNuthatch(["stop"], options);
  }
});
