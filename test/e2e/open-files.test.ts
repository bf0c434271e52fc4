import { expect, test } from "bun:test";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BINARY, runNuthatch, temporaryFolder } from "../nuthatch.ts";
import { processesOf } from "../processes.ts";

// Far more sessions than a process with 64 open files can have.
const SESSIONS = 14;
const LIMIT = "ulimit -n 64; ";
const ROOM = "it was ended because the system ran out of open files";

/** A home whose processes may have 64 files open. Calls are from the command line, `inProcess` is for those of one MCP server. */
function makeHome() {
  const home = temporaryFolder();
  const env = { ...process.env, NUTHATCH_HOME: home.path, NUTHATCH_KERNEL: "bundled", NUTHATCH_MAX_SESSIONS: "50" };
  const start = (...words: string[]) =>
    Bun.spawn(["sh", "-c", `${LIMIT}exec "$0" "$@"`, BINARY, ...words], {
      cwd: home.path,
      env,
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
    });
  return {
    path: home.path,
    start,
    async call(code: string, session: string) {
      const child = start("call", "python", JSON.stringify({ cells: [{ code }] }), "--session", session);
      const { content, details, isError } = await new Response(child.stdout).json();
      return { text: content[0].text as string, code: details.code as string | undefined, isError };
    },
    async [Symbol.asyncDispose]() {
      await runNuthatch(["stop"], { home: home.path });
      while (processesOf(home.path).length > 0) await Bun.sleep(10);
      expect(
        readdirSync(join(home.path, "runtime")).filter((name) => /^(daemon|gateway|sessions)|^k\d/.test(name)),
      ).toEqual([]);
      home[Symbol.dispose]();
    },
  };
}

/** Cells that wait for a file, so that their sessions are busy at the same time. */
const busyCell = (release: string) =>
  `import os, time\nwhile not os.path.exists("${release}"): time.sleep(0.01)\nprint("done")`;

/** What calls came to that were all busy at once: some are done, the others say what there is too little of, and how much. */
function expectSomeRefused(outcomes: { text: string; code: string | undefined }[]): void {
  const refused = outcomes.filter(({ code }) => code === "too_many_open_files");
  expect(refused.length).toBeGreaterThan(0);
  for (const { text } of refused)
    expect(text).toMatch(/^Error: Too many open files: \d+ are open, the limit is 64\n.*ulimit -n/s);
  const done = outcomes.filter(({ code }) => code === undefined);
  expect(done.length).toBe(SESSIONS - refused.length);
  expect(done.map(({ text }) => text)).toEqual(done.map(() => "done\n"));
  expect(done.length).toBeGreaterThan(2);
}

test("a daemon that may open 64 files ends idle sessions for new ones, and tells them; it stays reachable", async () => {
  await using home = makeHome();
  for (let n = 0; n < SESSIONS; n++) {
    expect(await home.call("x = 1; print('done')", `s${n}`)).toEqual({
      text: "done\n",
      code: undefined,
      isError: false,
    });
  }
  expect((await home.call("print('x' in globals())", "s0")).text).toBe(
    `False\nThe state of this session was lost, the cells ran in a new kernel: ${ROOM}\n`,
  );
});

test("with more busy sessions than 64 files allow, a new one is a clear error, and works once there is room", async () => {
  await using home = makeHome();
  const release = join(home.path, "release");
  const calls = Array.from({ length: SESSIONS }, (_, n) => home.call(busyCell(release), `s${n}`));
  const refused = await Promise.race(
    calls.map(async (call) => ((await call).isError ? await call : await new Promise(() => {}))),
  );
  expect(refused).toMatchObject({ code: "too_many_open_files" });
  writeFileSync(release, "");
  expectSomeRefused(await Promise.all(calls));
  expect((await home.call("print('again')", "another")).text).toBe("again\n");
});

test("so it is in an MCP server's own process", async () => {
  await using home = makeHome();
  const release = join(home.path, "release");
  const server = home.start("mcp");
  const send = (message: object) => server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  send({
    id: "hello",
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } },
  });
  send({ method: "notifications/initialized" });
  for (let n = 0; n < SESSIONS; n++) {
    const input = { cells: [{ code: busyCell(release) }], session: `s${n}` };
    send({ id: n, method: "tools/call", params: { name: "python", arguments: input } });
  }
  await server.stdin.flush();
  const outcomes: { text: string; code: string | undefined }[] = [];
  let rest = "";
  for await (const chunk of server.stdout) {
    rest += new TextDecoder().decode(chunk);
    const lines = rest.split("\n");
    rest = lines.pop() as string;
    for (const { id, result } of lines.map((line) => JSON.parse(line))) {
      if (typeof id !== "number") continue;
      const [{ text }] = result.content;
      outcomes.push({ text, code: /Too many open files/.test(text) ? "too_many_open_files" : undefined });
      if (!existsSync(release)) writeFileSync(release, "");
    }
    if (outcomes.length === SESSIONS) break;
  }
  expectSomeRefused(outcomes);
  server.stdin.end();
  expect([await server.exited, await new Response(server.stderr).text()]).toEqual([0, ""]);
});
