import { afterEach, expect, test } from "bun:test";
import { copyFileSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { connectMcp } from "../mcp-client.ts";
import { BINARY, callTool, runNuthatch, temporaryFolder } from "../nuthatch.ts";

const KERNEL = { NUTHATCH_KERNEL: "bundled" };
const LOST = "The state of this session was lost, the cells ran in a new kernel: the daemon that kept it ended\n";

const homes: ReturnType<typeof temporaryFolder>[] = [];
afterEach(async () => {
  for (const home of homes.splice(0)) {
    await runNuthatch(["stop"], { home: home.path });
    home[Symbol.dispose]();
  }
});

/** A home with calls of its own in it, and the ways in which its daemon ends. */
function makeHome(env: Record<string, string> = {}) {
  const home = temporaryFolder();
  homes.push(home);
  const options = { home: home.path, env: { ...KERNEL, ...env } };
  const pid = async () => JSON.parse((await runNuthatch(["status", "--json"], options)).stdout).pid;
  return {
    path: home.path,
    call: async (cells: string, more: object = {}, words: string[] = []) =>
      (await callTool("python", { cells, ...more }, options, words)).text,
    daemonPid: pid,
    stop: () => runNuthatch(["stop"], options),
    notes: () => readdirSync(join(home.path, "runtime")).filter((name) => name.startsWith("sessions")),
    async kill() {
      process.kill(await pid(), "SIGKILL");
    },
  };
}

test("after SIGKILL of the daemon each of its sessions is told once that its state is gone, and no other is", async () => {
  const home = makeHome();
  await home.call("x = 1");
  await home.call("x = 2", { session: "named" });
  await home.kill();
  expect(await home.call("'x' in globals()", { session: "another" })).toBe("False\n");
  expect(await home.call("'x' in globals()", { session: "named" })).toBe(`False\n${LOST}`);
  expect(await home.call("'x' in globals()", { session: "named" })).toBe("False\n");
  await home.kill();
  expect(await home.call("1", { session: "another" })).toBe(`1\n${LOST}`);
  expect(await home.call("'x' in globals()")).toBe(`False\n${LOST}`);
  expect(await home.call("1", { reset: true, session: "named" })).toBe("1\n");
  await home.stop();
  expect(home.notes()).toEqual([]);
});

test("a call that got no kernel has told nobody: the next one does", async () => {
  const home = makeHome();
  await home.call("x = 1", { session: "kept" });
  await home.kill();
  expect(await home.call("1", { session: "kept" }, ["--kernel", "no-such-kernel"])).toStartWith("Error: ");
  expect(await home.call("1", { session: "kept" })).toBe(`1\n${LOST}`);
});

test("a model over mcp --shared is told too, and so is the next run of a notebook", async () => {
  const home = makeHome();
  await using connection = await connectMcp({ home: home.path, words: ["--shared"], env: KERNEL });
  const notebook = { action: "create", notebook_path: "n.ipynb" };
  await connection.client.callTool({ name: "notebook", arguments: notebook });
  const python = async () => {
    const { content } = await connection.client.callTool({ name: "python", arguments: { cells: "1" } });
    return (content[0] as { text: string }).text;
  };
  const runNotebook = async () => {
    const edit = [{ action: "insert", content: "2" }];
    const input = { notebook_path: "n.ipynb", edit };
    const { content } = await connection.client.callTool({ name: "run_notebook", arguments: input });
    return (content as { text: string }[]).map(({ text }) => text).join("\n");
  };
  expect(await python()).toBe("1\n");
  expect(await runNotebook()).not.toContain("the daemon");
  await home.kill();
  expect(await python()).toBe(`1\n${LOST}`);
  expect(await runNotebook()).toContain("what earlier calls had left is gone: the daemon that kept it ended");
});

test("a binary that was replaced says it as well to the sessions of the daemon before", async () => {
  const home = makeHome();
  const binary = join(home.path, "nuthatch");
  const call = async () => {
    const env = { ...process.env, ...KERNEL, NUTHATCH_HOME: home.path };
    const child = Bun.spawn([binary, "call", "python", '{"cells":"1"}'], { cwd: home.path, env, stderr: "ignore" });
    return (await new Response(child.stdout).json()).content[0].text;
  };
  copyFileSync(BINARY, binary);
  expect(await call()).toBe("1\n");
  copyFileSync(BINARY, `${binary}.new`);
  renameSync(`${binary}.new`, binary);
  expect(await call()).toBe(`1\n${LOST}`);
  expect(await call()).toBe("1\n");
});

test("after stop nothing is said, and nothing after the end of an idle daemon", async () => {
  const home = makeHome({ NUTHATCH_IDLE_TIMEOUT: "0.1" });
  await home.call("x = 1");
  expect(home.notes()).toEqual(["sessions.log"]);
  await home.stop();
  expect(home.notes()).toEqual([]);
  expect(await home.call("x = 1; 1")).toBe("1\n");
  await home.call("exit()");
  while ((await home.daemonPid()) !== undefined) await Bun.sleep(20);
  expect(home.notes()).toEqual([]);
  expect(await home.call("'x' in globals()")).toBe("False\n");
});
