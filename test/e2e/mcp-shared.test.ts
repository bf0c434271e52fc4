import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { connectMcp } from "../mcp-client.ts";
import { callTool, runNuthatch, temporaryFolder } from "../nuthatch.ts";

const KERNEL = { NUTHATCH_KERNEL: "bundled" };

test("with --shared the kernels are the daemon's: others see the session, and it outlives the server", async () => {
  using home = temporaryFolder();
  const options = { home: home.path, env: KERNEL };
  try {
    const connection = await connectMcp({ home: home.path, words: ["--shared"], env: KERNEL });
    const { client } = connection;
    await client.callTool({ name: "python", arguments: { cells: "shared = 'by the agent'", session: "work" } });
    const beside = await callTool("python", { cells: "print(shared); mine = 2", session: "work" }, options);
    expect(beside.text).toBe("by the agent\n");
    const seen = await client.callTool({ name: "python", arguments: { cells: "mine", session: "work" } });
    expect(seen.content).toEqual([{ type: "text", text: "2\n" }]);
    expect(connection.stderr()).toBe("");
    await client.close();
    expect((await callTool("python", { cells: "shared", session: "work" }, options)).text).toBe("'by the agent'\n");
  } finally {
    await runNuthatch(["stop"], options);
  }
});

test("a call cancelled over MCP is interrupted on the daemon, and progress comes through", async () => {
  using home = temporaryFolder();
  const options = { home: home.path, env: KERNEL };
  try {
    await using connection = await connectMcp({ home: home.path, words: ["--shared"], env: KERNEL });
    const abort = new AbortController();
    const heard = Promise.withResolvers<string | undefined>();
    const cells = "import time\nkept = 1\nprint('started', flush=True)\ntime.sleep(600)";
    const call = connection.client.callTool(
      { name: "python", arguments: { cells, timeout: 600 } },
      { signal: abort.signal, onprogress: ({ message }) => heard.resolve(message) },
    );
    expect(await heard.promise).toBe("started");
    abort.abort();
    await expect(call).rejects.toThrow();
    const after = await connection.client.callTool({ name: "python", arguments: { cells: "kept" } });
    expect(after.content).toEqual([{ type: "text", text: "1\n" }]);
  } finally {
    await runNuthatch(["stop"], options);
  }
});

test("when the daemon dies in a call the model is told, and the next call has a new one", async () => {
  using home = temporaryFolder();
  const options = { home: home.path, env: KERNEL };
  try {
    await using connection = await connectMcp({ home: home.path, words: ["--shared"], env: KERNEL });
    const started = Promise.withResolvers<void>();
    const cells = "import time\nprint('started', flush=True)\ntime.sleep(600)";
    const call = connection.client.callTool(
      { name: "python", arguments: { cells, timeout: 600 } },
      { onprogress: () => started.resolve() },
    );
    await started.promise;
    process.kill(JSON.parse((await runNuthatch(["status", "--json"], options)).stdout).pid, "SIGKILL");
    const result = await call;
    expect(result.isError).toBe(true);
    expect((result.content[0] as { text: string }).text).toContain("ended during the call");
    const next = await connection.client.callTool({ name: "python", arguments: { cells: "1" } });
    expect((next.content[0] as { text: string }).text).toStartWith("1\n");
  } finally {
    await runNuthatch(["stop"], options);
  }
});

test("with gateway shared a server goes on after the daemon of its kernels has ended", async () => {
  using home = temporaryFolder();
  const env = { ...KERNEL, NUTHATCH_GATEWAY: "shared" };
  await using connection = await connectMcp({ home: home.path, env });
  const call = async (cells: string) => {
    const { content } = await connection.client.callTool({ name: "python", arguments: { cells } });
    return (content as { text: string }[])[0]?.text;
  };
  expect(await call("x = 1; print(x)")).toBe("1\n");
  expect((await runNuthatch(["stop"], { home: home.path })).stdout).toContain("has ended");
  expect(await call("print('x' in globals())")).toMatch(/^False\nThe state of this session was lost/);
  expect(await call("print('again')")).toBe("again\n");
  await runNuthatch(["stop"], { home: home.path });
});

test("with gateway shared a cell whose daemon is killed runs again in a kernel of the next one", async () => {
  using home = temporaryFolder();
  const env = { ...KERNEL, NUTHATCH_GATEWAY: "shared" };
  const mark = join(home.path, "runs");
  await using connection = await connectMcp({ home: home.path, env });
  const cells = `import time\nwith open(${JSON.stringify(mark)}, "a") as file: file.write("x")
while open(${JSON.stringify(mark)}).read() == "x": time.sleep(0.01)\nprint("done")`;
  const call = connection.client.callTool({ name: "python", arguments: { cells, timeout: 60 } });
  while (!existsSync(mark)) await Bun.sleep(5);
  process.kill(JSON.parse((await runNuthatch(["status", "--json"], { home: home.path })).stdout).pid, "SIGKILL");
  const { content, isError } = await call;
  expect(isError).toBe(false);
  expect((content as { text: string }[])[0]?.text).toMatch(/its gateway has ended.*this cell ran again\ndone\n$/);
  await runNuthatch(["stop"], { home: home.path });
});
