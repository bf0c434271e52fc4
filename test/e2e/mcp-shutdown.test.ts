import { expect, test } from "bun:test";
import { connectMcp } from "../mcp-client.ts";
import { temporaryFolder } from "../nuthatch.ts";

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Connects, starts a kernel, has it do `work` in the background, and returns how to end it and the two processes' ids. */
async function startWork(home: string, work: string) {
  const connection = await connectMcp({ home, env: { NUTHATCH_KERNEL: "bundled" } });
  const { client, pid: server } = connection;
  const started = Promise.withResolvers<number>();
  const closed = new Promise<void>((resolve) => {
    client.onclose = resolve;
  });
  const code = `import os, time\nprint(os.getpid(), flush=True)\n${work}`;
  const call = client.callTool(
    { name: "python", arguments: { cells: [{ code }], timeout: 600 } },
    { onprogress: (progress) => started.resolve(Number(progress.message)) },
  );
  call.catch(() => {});
  return { client, server, call, closed, kernel: await started.promise };
}

const RUNNING = "time.sleep(600)";
const DEAF = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass";

test.each([RUNNING, DEAF])("when the host closes the connection, no kernel is left, not even in %p", async (work) => {
  using home = temporaryFolder();
  const { client, server, kernel } = await startWork(home.path, work);
  expect(isAlive(kernel)).toBe(true);
  await client.close();
  expect([isAlive(server), isAlive(kernel)]).toEqual([false, false]);
});

test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("%s leaves no kernel", async (signal) => {
  using home = temporaryFolder();
  const { server, kernel, closed } = await startWork(home.path, RUNNING);
  process.kill(server, signal);
  await closed;
  expect([isAlive(server), isAlive(kernel)]).toEqual([false, false]);
});

test("a server that is killed leaves no kernel either", async () => {
  using home = temporaryFolder();
  const { server, kernel, closed } = await startWork(home.path, RUNNING);
  process.kill(server, "SIGKILL");
  await closed;
  while (isAlive(kernel)) await new Promise((resolve) => setImmediate(resolve));
  expect(isAlive(kernel)).toBe(false);
});
