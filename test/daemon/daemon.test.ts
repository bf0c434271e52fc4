import { afterEach, expect, setSystemTime, test } from "bun:test";
import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { daemonFiles, readGatewayEntry } from "../../src/daemon/daemon-files.ts";
import { findDaemon } from "../../src/daemon/open-daemon.ts";
import { errorCode } from "../../src/errors.ts";
import type { ToolUpdate } from "../../src/tools/tool.ts";
import { temporaryFolder } from "../nuthatch.ts";
import { callOptions, connectIn, directoriesOf, serveApp, TestApp } from "./daemon-in-test.ts";

const forever = (signal: AbortSignal) =>
  new Promise<string>((resolve) => signal.addEventListener("abort", () => resolve("aborted")));

afterEach(() => void setSystemTime());

test("a call arrives with its cwd, environment, settings and session, and comes back with updates and result", async () => {
  using home = temporaryFolder();
  const app = new TestApp(async (input, { cwd, environment, settings, session, onUpdate }) => {
    onUpdate?.({ content: [{ type: "text", text: "half\ud83d\n" }], details: { done: 1 } });
    return { input, cwd, environment, maxSessions: settings.maxSessions, session };
  });
  await using _ = await serveApp(home.path, app);
  const client = await connectIn(home.path);
  const updates: ToolUpdate[] = [];
  const options = callOptions(home.path, {
    environment: { PATH: "/bin", NAME: "ü", GONE: undefined },
    session: "mine",
    onUpdate: (update) => updates.push(update),
  });
  const result = await client.callTool("any", { text: "\ud83d\u2028\n" }, options);
  expect(result.details.value).toEqual({
    input: { text: "\ud83d\u2028\n" },
    cwd: home.path,
    environment: { PATH: "/bin", NAME: "ü" },
    maxSessions: 4,
    session: "mine",
  });
  expect(updates).toEqual([{ content: [{ type: "text", text: "half\ud83d\n" }], details: { done: 1 } }]);
  await client.dispose();
});

test("calls of one client and of several run side by side", async () => {
  using home = temporaryFolder();
  const gates = new Map<unknown, PromiseWithResolvers<void>>([1, 2, 3].map((n) => [n, Promise.withResolvers<void>()]));
  await using _ = await serveApp(home.path, new TestApp(async (n) => await gates.get(n)?.promise));
  const [one, two] = [await connectIn(home.path), await connectIn(home.path)];
  const finished: number[] = [];
  const call = async (client: typeof one, n: number) => {
    await client.callTool("any", n, callOptions(home.path));
    finished.push(n);
  };
  const calls = [call(one, 1), call(one, 2), call(two, 3)];
  for (const n of [3, 2, 1]) {
    gates.get(n)?.resolve();
    await calls[n - 1];
  }
  expect(finished).toEqual([3, 2, 1]);
  await Promise.all([one.dispose(), two.dispose()]);
});

test("a client's signal cancels its call and the result still comes; a client that goes cancels all of its own", async () => {
  using home = temporaryFolder();
  const started: AbortSignal[] = [];
  const app = new TestApp((_, { signal }) => {
    started.push(signal);
    return forever(signal);
  });
  await using _ = await serveApp(home.path, app);
  const [one, two] = [await connectIn(home.path), await connectIn(home.path)];
  const abort = new AbortController();
  const cancelled = one.callTool("any", {}, callOptions(home.path, { signal: abort.signal }));
  const left = two.callTool("any", {}, callOptions(home.path));
  const other = one.callTool("any", {}, callOptions(home.path));
  await Bun.sleep(0);
  abort.abort();
  expect((await cancelled).details.value).toBe("aborted");
  await two.dispose();
  expect(await left.catch(errorCode)).toBe("client_closed");
  const status = await statusWhen(home.path, (calls) => calls === 1);
  expect(status.calls).toBe(1);
  expect(started.map((signal) => signal.aborted).sort()).toEqual([false, true, true]);
  await one.dispose();
  await other.catch(() => undefined);
});

test("only this user can reach it: its folder is 0700, its socket and files 0600", async () => {
  using home = temporaryFolder();
  await using daemon = await serveApp(home.path, new TestApp(async () => 1));
  const { runtime } = directoriesOf(home.path);
  const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
  expect(mode(runtime)).toBe("700");
  expect(
    readdirSync(runtime)
      .sort()
      .map((name) => `${name} ${mode(`${runtime}/${name}`)}`),
  ).toEqual(["daemon.sock 600", "gateway.json 600", "gateway.lock 600"]);
  const files = daemonFiles(runtime);
  expect(readGatewayEntry(files)).toMatchObject({ pid: process.pid, socket: files.gatewaySocket });
  await daemon.stop();
  expect(readdirSync(runtime)).toEqual([]);
});

test("it ends after idleTimeout without session, run and call, and not before", async () => {
  using home = temporaryFolder();
  const app = new TestApp((_, { signal }) => forever(signal));
  app.sessions = 1;
  await using daemon = await serveApp(home.path, app, { idleTimeout: 0.1 });
  const client = await connectIn(home.path);
  const call = client.callTool("any", {}, callOptions(home.path));
  await Bun.sleep(600);
  app.sessions = 0;
  await Bun.sleep(600);
  expect(app.disposed).toBe(false);
  await client.dispose();
  await call.catch(() => undefined);
  await daemon.ended;
  expect(app.disposed).toBe(true);
});

test("a clock that jumps by a day ends nothing", async () => {
  using home = temporaryFolder();
  await using _ = await serveApp(home.path, new TestApp(async () => 1), { idleTimeout: 30 });
  const client = await connectIn(home.path);
  setSystemTime(new Date(Date.now() + 24 * 3600 * 1000));
  await client.callTool("any", {}, callOptions(home.path));
  setSystemTime(new Date(Date.now() - 48 * 3600 * 1000));
  expect((await client.callTool("any", {}, callOptions(home.path))).isError).toBe(false);
  expect((await statusWhen(home.path, () => true)).uptimeSeconds).toBeLessThan(10);
  await client.dispose();
});

test("stop cancels the calls, whose results still arrive, and disposes the app; it can be asked twice", async () => {
  using home = temporaryFolder();
  const app = new TestApp((_, { signal }) => forever(signal));
  await using daemon = await serveApp(home.path, app);
  const client = await connectIn(home.path);
  const call = client.callTool("any", {}, callOptions(home.path));
  await statusWhen(home.path, (calls) => calls === 1);
  const [first, second] = await Promise.all([daemon.stop(), daemon.stop(), call]);
  expect([first, second, (await call).details.value, app.disposed]).toEqual([undefined, undefined, "aborted", true]);
});

test("a client whose daemon has ended between two calls goes on with the next daemon", async () => {
  using home = temporaryFolder();
  await using first = await serveApp(home.path, new TestApp(async () => "first"));
  const client = await connectIn(home.path);
  expect((await client.callTool("any", {}, callOptions(home.path))).details.value).toBe("first");
  await first.stop();
  await first.ended;
  await using _ = await serveApp(home.path, new TestApp(async () => "second"));
  const both = [1, 2].map(() => client.callTool("any", {}, callOptions(home.path)));
  expect((await Promise.all(both)).map((result) => result.details.value)).toEqual(["second", "second"]);
  await client.dispose();
});

test("a daemon whose socket was removed, or whose folder was, ends by itself once its calls are done", async () => {
  for (const gone of ["runtime/daemon.sock", "runtime"]) {
    using home = temporaryFolder();
    const gate = Promise.withResolvers<string>();
    await using daemon = await serveApp(home.path, new TestApp(() => gate.promise), { idleTimeout: 0.2 });
    const client = await connectIn(home.path);
    const call = client.callTool("any", {}, callOptions(home.path));
    await statusWhen(home.path, (calls) => calls === 1);
    rmSync(`${home.path}/${gone}`, { recursive: true });
    await using _ = await serveApp(home.path, new TestApp(async () => "next"));
    gate.resolve("done");
    expect((await call).details.value).toBe("done");
    await daemon.ended;
    expect(existsSync(daemonFiles(directoriesOf(home.path).runtime).socket)).toBe(true);
  }
});

test("an older daemon leaves its names at once, finishes what it does and takes nothing new", async () => {
  using home = temporaryFolder();
  const gate = Promise.withResolvers<string>();
  const build = { version: "0.0.1", executable: "/old", modified: 1 };
  await using old = await serveApp(home.path, new TestApp(() => gate.promise), { build });
  const connection = await findDaemon(directoriesOf(home.path).runtime);
  const params = { name: "any", input: {}, options: callOptions(home.path), updates: false };
  const running = connection?.request("callTool", params);
  await statusWhen(home.path, (calls) => calls === 1);
  const other = await findDaemon(directoriesOf(home.path).runtime);
  expect(await other?.request("handOver", {})).toEqual({ calls: 1, sessions: 0, runs: 0 });
  await using _ = await serveApp(home.path, new TestApp(async () => "new"));
  expect(await connection?.request("callTool", params).catch(errorCode)).toBe("daemon_gone");
  gate.resolve("done");
  expect(await running).toMatchObject({ details: { value: "done" } });
  await old.ended;
  expect((await (await connectIn(home.path)).callTool("any", {}, callOptions(home.path))).details.value).toBe("new");
  connection?.close();
  other?.close();
});

test("a client that does not keep to the wire is cut off, others are served on", async () => {
  using home = temporaryFolder();
  await using _ = await serveApp(home.path, new TestApp(async () => "served"));
  for (const bytes of ["no json\n", `{"id":1}\n${"x".repeat(100)}\n`, "null\n"]) {
    const closed = Promise.withResolvers<void>();
    await Bun.connect({
      unix: daemonFiles(directoriesOf(home.path).runtime).socket,
      socket: { open: (socket) => void socket.write(bytes), data: () => {}, close: () => closed.resolve() },
    });
    await closed.promise;
  }
  const client = await connectIn(home.path);
  expect((await client.callTool("any", {}, callOptions(home.path))).details.value).toBe("served");
  await client.dispose();
});

/** Asks for the status until `condition` holds for the number of calls. */
async function statusWhen(home: string, condition: (calls: number) => boolean) {
  const connection = await findDaemon(directoriesOf(home).runtime);
  for (;;) {
    const status = (await connection?.request("status", {})) as { calls: number; uptimeSeconds: number };
    if (!condition(status.calls)) continue;
    connection?.close();
    return status;
  }
}
