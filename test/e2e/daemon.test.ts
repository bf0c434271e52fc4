import { expect, test } from "bun:test";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { VERSION } from "../../src/version.ts";
import { serveApp, TestApp } from "../daemon/daemon-in-test.ts";
import { BINARY, callTool, type RunOptions, runNuthatch, temporaryFolder } from "../nuthatch.ts";

const PYTHON = { NUTHATCH_KERNEL: "bundled" };

/** Runs code in the session of the folder; `text` is what it printed. */
async function python(code: string, options: RunOptions, words: string[] = []) {
  return await callTool("python", { cells: [{ code }] }, { ...options, env: { ...PYTHON, ...options.env } }, words);
}

async function status(home: string) {
  return JSON.parse((await runNuthatch(["status", "--json"], { home })).stdout);
}

/** How many daemons ever served in this home, by the log. */
function startsIn(home: string): number {
  return readFileSync(join(home, "state", "daemon.log"), "utf8").match(/serves as pid/g)?.length ?? 0;
}

function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
}

/** Whether this process may mount file systems, for a disk of its own that is full. */
const CAN_MOUNT = Bun.spawnSync(["sh", "-c", "unshare -m true"]).exitCode === 0 && process.getuid?.() === 0;

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await Bun.sleep(5);
}

test("the interpreter that the first client named is not that of the clients after it", async () => {
  using home = temporaryFolder();
  const refused = await python("1", { home: home.path }, ["--python", "/nowhere/python3"]);
  expect([refused.exitCode, refused.text]).toEqual([1, expect.stringContaining("/nowhere/python3")]);
  const next = await python("2", { home: home.path });
  expect([next.exitCode, next.text]).toEqual([0, "2\n"]);
  await runNuthatch(["stop"], { home: home.path });
});

test("state lives across calls; stop returns when the daemon and its kernel are gone", async () => {
  using home = temporaryFolder();
  expect(await status(home.path)).toEqual({ running: false });
  const first = await python("import os; x = 20; print(os.getpid())", { home: home.path });
  expect([first.exitCode, first.stderr]).toEqual([0, ""]);
  expect((await python("x + 1", { home: home.path })).text).toBe("21\n");
  const daemon = await status(home.path);
  expect(daemon).toMatchObject({ running: true, sessions: 1, calls: 0, version: expect.any(String) });
  const kernel = Number(first.text);
  expect([isRunning(daemon.pid), isRunning(kernel)]).toEqual([true, true]);
  const stop = await runNuthatch(["stop"], { home: home.path });
  expect([isRunning(daemon.pid), isRunning(kernel)]).toEqual([false, false]);
  expect(stop).toEqual({ exitCode: 0, stdout: `the daemon (pid ${daemon.pid}) has ended\n`, stderr: "" });
  expect(await runNuthatch(["stop"], { home: home.path })).toMatchObject({
    exitCode: 0,
    stdout: "no daemon was running\n",
  });
  expect(readdirSync(join(home.path, "runtime")).filter((name) => /daemon|gateway/.test(name))).toEqual([]);
});

test("sessions lists, interrupts, restarts and stops the live sessions of all folders, and starts no daemon", async () => {
  using home = temporaryFolder();
  const sessions = (...words: string[]) => runNuthatch(["sessions", ...words], { home: home.path });
  expect(await sessions()).toEqual({ exitCode: 0, stdout: "No live sessions\n", stderr: "" });
  expect((await sessions("stop", "mine")).exitCode).toBe(1);
  expect(await status(home.path)).toEqual({ running: false });
  await python("v = 1", { home: home.path }, ["--session", "mine"]);
  await python("v = 2", { home: home.path, cwd: "/" });
  const listed = JSON.parse((await sessions("list", "--json")).stdout);
  expect(listed).toEqual({
    sessions: [
      {
        name: "mine",
        cwd: home.path,
        kernel: "nuthatch",
        pid: expect.any(Number),
        status: "idle",
        lastUsedAt: expect.any(String),
      },
      {
        name: "/",
        cwd: "/",
        kernel: "nuthatch",
        pid: expect.any(Number),
        status: "idle",
        lastUsedAt: expect.any(String),
      },
    ],
  });
  expect((await sessions()).stdout).toMatch(
    /^SESSION +STATUS +KERNEL +PID +USED +FOLDER\nmine +idle +nuthatch +\d+ +\d+ s ago +\//,
  );
  expect((await sessions("restart", "mine")).stdout).toBe("Restarted session mine\n");
  expect((await python("v", { home: home.path }, ["--session", "mine"])).text).toContain("NameError");
  const started = join(home.path, "started");
  const code = `import time; open(${JSON.stringify(started)}, "w"); time.sleep(60)`;
  const running = python(code, { home: home.path }, ["--session", "mine"]);
  await until(() => existsSync(started));
  expect((await sessions("interrupt", "mine")).exitCode).toBe(0);
  expect((await running).text).toContain("KeyboardInterrupt");
  expect((await sessions("stop", "/")).exitCode).toBe(0);
  expect(JSON.parse((await sessions("--json")).stdout).sessions.length).toBe(1);
  expect(await sessions("end", "mine")).toMatchObject({ exitCode: 1, stdout: "" });
});

test("an older daemon makes way for this binary, in one sentence; a newer one is kept, and the call says what to do", async () => {
  using home = temporaryFolder();
  const old = { version: "0.0.1", executable: "/old/nuthatch", modified: 1 };
  await using daemon = await serveApp(home.path, new TestApp(async () => 1), { build: old });
  const run = await python("6 * 7", { home: home.path });
  expect([run.exitCode, run.text]).toEqual([0, "42\n"]);
  expect(run.stderr).toBe(
    `nuthatch: the daemon nuthatch 0.0.1 (pid ${process.pid}) makes way for nuthatch ${VERSION}\n`,
  );
  await daemon.ended;
  await runNuthatch(["stop"], { home: home.path });
  const newer = { version: "99.0.0", executable: "/new/nuthatch", modified: 1 };
  await using kept = await serveApp(home.path, new TestApp(async () => 1), { build: newer });
  const refused = await python("6 * 7", { home: home.path });
  expect([refused.exitCode, refused.result.details.code]).toEqual([1, "daemon_version"]);
  expect(refused.text).toContain(`nuthatch 99.0.0 (/new/nuthatch), newer than this nuthatch ${VERSION}`);
  expect((await runNuthatch(["sessions"], { home: home.path })).exitCode).toBe(1);
  expect(await status(home.path)).toMatchObject({ running: true, version: "99.0.0", pid: kept.hello.pid });
});

test("a binary that was replaced in place ends the daemon of the one before", async () => {
  using home = temporaryFolder();
  const binary = join(home.path, "nuthatch");
  const call = async () => {
    const words = [binary, "call", "python", '{"cells":[{"code":"1"}]}'];
    const env = { ...process.env, ...PYTHON, NUTHATCH_HOME: home.path };
    const child = Bun.spawn(words, { cwd: home.path, env, stdout: "pipe", stderr: "pipe" });
    return [await child.exited, await new Response(child.stderr).text()];
  };
  copyFileSync(BINARY, binary);
  expect(await call()).toEqual([0, ""]);
  const { pid } = await status(home.path);
  copyFileSync(BINARY, `${binary}.new`);
  renameSync(`${binary}.new`, binary);
  expect(await call()).toEqual([
    0,
    `nuthatch: the daemon of the binary before this one (pid ${pid}) makes way for nuthatch ${VERSION}; its session ends\n`,
  ]);
  expect((await status(home.path)).pid).not.toBe(pid);
  await until(() => !isRunning(pid));
});

test("each call brings its client's environment and folder; a session keeps those it was made with", async () => {
  using home = temporaryFolder();
  const code = "import os; print(os.environ.get('FLOWN'), os.environ.get('GITHUB_TOKEN'), os.getcwd())";
  const call = async (flown: string | undefined, session: string, cwd: string) => {
    const env = { FLOWN: flown, GITHUB_TOKEN: "secret" };
    return (await python(code, { home: home.path, cwd, env }, ["--session", session])).text;
  };
  expect(await call("first", "a", home.path)).toBe(`first None ${home.path}\n`);
  expect(await call("second", "b", "/")).toBe("second None /\n");
  expect(await call(undefined, "c", "/")).toBe("None None /\n");
  expect(await call("third", "b", home.path)).toStartWith("second None");
});

test("a home whose path is too long for a socket has its daemon in a folder under the temporary one", async () => {
  using folder = temporaryFolder();
  const home = join(folder.path, "long".repeat(30));
  mkdirSync(home);
  await python("x = 3", { home });
  expect((await python("x", { home })).text).toBe("3\n");
  const { socket } = await status(home);
  expect(statSync(dirname(socket)).mode & 0o777).toBe(0o700);
  expect(socket).not.toContain("long");
  expect((await runNuthatch(["stop"], { home })).stdout).toContain("has ended");
  rmSync(dirname(socket), { recursive: true });
});

test("ten clients that find an older daemon start exactly one new one", async () => {
  using home = temporaryFolder();
  const old = { version: "0.0.1", executable: "/old/nuthatch", modified: 1 };
  await using daemon = await serveApp(home.path, new TestApp(async () => 1), { build: old });
  const runs = await Promise.all(Array.from({ length: 10 }, (_, n) => python(`${n}`, { home: home.path })));
  expect(runs.map((run) => [run.exitCode, run.text])).toEqual(runs.map((_, n) => [0, `${n}\n`]));
  await daemon.ended;
  expect(startsIn(home.path)).toBe(1);
  await runNuthatch(["stop"], { home: home.path });
});

test("twenty clients at once start exactly one daemon, and all are served", async () => {
  using home = temporaryFolder();
  const call = (n: number) => python(`print(${n})`, { home: home.path }, ["--session", `s${n % 2}`]);
  const runs = await Promise.all(Array.from({ length: 20 }, (_, n) => call(n)));
  expect(runs.map((run) => [run.exitCode, run.stderr, run.text])).toEqual(runs.map((_, n) => [0, "", `${n}\n`]));
  expect(startsIn(home.path)).toBe(1);
  expect(await status(home.path)).toMatchObject({ sessions: 2 });
});

test("after SIGKILL of the daemon its kernels end, and the next client cleans up and starts another", async () => {
  using home = temporaryFolder();
  const kernel = Number((await python("import os; x = 1; print(os.getpid())", { home: home.path })).text);
  const { pid } = await status(home.path);
  process.kill(pid, "SIGKILL");
  await until(() => !isRunning(pid) && !isRunning(kernel));
  expect(readdirSync(join(home.path, "runtime"))).toContain("daemon.sock");
  expect(await status(home.path)).toEqual({ running: false });
  expect((await python("'x' in globals()", { home: home.path })).text).toStartWith("False\n");
  expect((await status(home.path)).pid).not.toBe(pid);
});

test("stop alone cleans up after a killed daemon", async () => {
  using home = temporaryFolder();
  await python("1", { home: home.path });
  const { pid } = await status(home.path);
  process.kill(pid, "SIGKILL");
  await until(() => !isRunning(pid));
  expect((await runNuthatch(["stop"], { home: home.path })).stdout).toBe("no daemon was running\n");
  expect(readdirSync(join(home.path, "runtime")).filter((name) => /daemon|gateway/.test(name))).toEqual([]);
});

test("SIGKILL of the daemon in a call is an error of Nuthatch's own, and says that the state is gone", async () => {
  using home = temporaryFolder();
  const started = join(home.path, "started");
  const call = python(`open(${JSON.stringify(started)}, "w"); import time; time.sleep(60)`, { home: home.path });
  await until(() => existsSync(started));
  process.kill((await status(home.path)).pid, "SIGKILL");
  const run = await call;
  expect([run.exitCode, run.result.isError, run.result.details.code]).toEqual([2, true, "daemon_died"]);
  expect(run.text).toContain("its sessions and their state are gone");
});

test.each(["SIGKILL", "SIGINT", "SIGHUP"] as const)(
  "%s of a client interrupts its cell, and the session lives on",
  async (signal) => {
    using home = temporaryFolder();
    const marks = { started: join(home.path, "started"), stopped: join(home.path, "stopped") };
    const code = `kept = 7
import time
try:
    open(${JSON.stringify(marks.started)}, "w")
    time.sleep(60)
except KeyboardInterrupt:
    open(${JSON.stringify(marks.stopped)}, "w")
    raise`;
    const client = Bun.spawn([BINARY, "call", "python", JSON.stringify({ cells: [{ code }] })], {
      cwd: home.path,
      env: { ...process.env, ...PYTHON, NUTHATCH_HOME: home.path },
      stdout: "pipe",
      stderr: "pipe",
    });
    await until(() => existsSync(marks.started));
    client.kill(signal);
    await client.exited;
    await until(() => existsSync(marks.stopped));
    expect((await python("kept", { home: home.path })).text).toBe("7\n");
    if (signal === "SIGKILL") return;
    expect(client.exitCode).toBe(130);
    expect(JSON.parse(await new Response(client.stdout).text()).details).toMatchObject({ cancelled: true });
  },
);

test("a daemon with no session ends after idleTimeout and leaves nothing", async () => {
  using home = temporaryFolder();
  const env = { NUTHATCH_IDLE_TIMEOUT: "0.1" };
  const run = await callTool("python", { cells: [{ code: "1" }], cwd: "/nowhere" }, { home: home.path, env });
  expect(run.text).toContain("Working directory does not exist: /nowhere");
  await until(() => readFileSync(join(home.path, "state", "daemon.log"), "utf8").includes("ended"));
  expect(await status(home.path)).toEqual({ running: false });
  expect(readdirSync(join(home.path, "runtime")).filter((name) => /daemon|gateway/.test(name))).toEqual([]);
});

test("the daemon has a session of its own and no stream of the terminal, whose end and SIGHUP it survives", async () => {
  using home = temporaryFolder();
  const words = `${BINARY} call python '{"cells":[{"code":"y = 3"}]}'`;
  const terminal = Bun.spawn(["script", "-qec", words, "/dev/null"], {
    cwd: home.path,
    env: { ...process.env, ...PYTHON, NUTHATCH_HOME: home.path },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "ignore",
  });
  expect(await terminal.exited).toBe(0);
  const { pid } = await status(home.path);
  const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]?.split(" ") ?? [];
  const [, , , session, terminalNumber] = fields;
  expect([Number(session), terminalNumber]).toEqual([pid, "0"]);
  process.kill(pid, "SIGHUP");
  expect((await python("y", { home: home.path })).text).toBe("3\n");
  expect((await status(home.path)).pid).toBe(pid);
});

test("SIGTERM ends the daemon and its kernels in order", async () => {
  using home = temporaryFolder();
  const kernel = Number((await python("import os; print(os.getpid())", { home: home.path })).text);
  const { pid } = await status(home.path);
  process.kill(pid, "SIGTERM");
  await until(() => !isRunning(pid));
  expect(isRunning(kernel)).toBe(false);
  expect(readdirSync(join(home.path, "runtime")).filter((name) => /daemon|gateway/.test(name))).toEqual([]);
});

test("a daemon that is stuck is killed by stop", async () => {
  using home = temporaryFolder();
  const kernel = Number((await python("import os; print(os.getpid())", { home: home.path })).text);
  const { pid } = await status(home.path);
  process.kill(pid, "SIGSTOP");
  const stop = await runNuthatch(["stop", "--json"], { home: home.path });
  expect(JSON.parse(stop.stdout)).toEqual({ stopped: true, pid, how: "killed" });
  await until(() => !isRunning(kernel));
  expect(isRunning(pid)).toBe(false);
}, 20_000);

test("a runtime directory that belongs to somebody else is refused, and nothing is put into it", async () => {
  using home = temporaryFolder();
  using elsewhere = temporaryFolder();
  symlinkSync(elsewhere.path, join(home.path, "runtime"));
  const run = await python("1", { home: home.path });
  expect([run.exitCode, run.result.details.code]).toEqual([1, "unsafe_directory"]);
  expect((await runNuthatch(["status"], { home: home.path })).exitCode).toBe(1);
  expect((await runNuthatch(["stop"], { home: home.path })).exitCode).toBe(1);
  expect(readdirSync(elsewhere.path)).toEqual([]);
});

test("where no runtime directory can be made the call has its own process, and says so once", async () => {
  using home = temporaryFolder();
  writeFileSync(join(home.path, "runtime"), "");
  const file = join(home.path, "file");
  writeFileSync(file, "");
  const run = await python("6 * 7", { home: join(file, "home"), cwd: home.path });
  expect([run.exitCode, run.text]).toEqual([0, "42\n"]);
  expect(run.stderr).toMatch(/^nuthatch: no daemon can run here \(.*\): this call has its own process.*\n$/);
});

test("a state directory that cannot be made is no reason to start no daemon", async () => {
  using home = temporaryFolder();
  const env = {
    NUTHATCH_HOME: undefined,
    XDG_RUNTIME_DIR: home.path,
    XDG_STATE_HOME: "/proc",
    XDG_CONFIG_HOME: home.path,
  };
  const options = { home: home.path, env };
  const run = await python("z = 1", options);
  expect([run.exitCode, run.stderr]).toEqual([0, ""]);
  expect((await python("z", options)).text).toBe("1\n");
  expect((await runNuthatch(["stop"], options)).stdout).toContain("has ended");
});

test.skipIf(!CAN_MOUNT)("calls work on while the disk of the state directory is full (needs root)", async () => {
  using home = temporaryFolder();
  const state = join(home.path, "state");
  mkdirSync(state);
  Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=64k,mode=700", "none", state]);
  try {
    expect(() => writeFileSync(join(state, "ballast"), Buffer.alloc(2 ** 20))).toThrow();
    const run = await python("z = 1", { home: home.path });
    expect([run.exitCode, run.stderr]).toEqual([0, ""]);
    expect((await python("print('x' * 200_000); z", { home: home.path })).result.isError).toBe(false);
    expect((await runNuthatch(["stop"], { home: home.path })).stdout).toContain("has ended");
  } finally {
    Bun.spawnSync(["umount", "--lazy", state]);
  }
});

test("64 file descriptors are enough for a daemon with sixteen clients", async () => {
  using home = temporaryFolder();
  const env = { ...process.env, ...PYTHON, NUTHATCH_HOME: home.path };
  const words = `ulimit -n 64; exec ${BINARY} call python '{"cells":[{"code":"print(5)"}]}'`;
  const clients = Array.from({ length: 16 }, () =>
    Bun.spawn(["sh", "-c", words], { cwd: home.path, env, stdout: "pipe" }),
  );
  const texts = await Promise.all(clients.map((client) => new Response(client.stdout).json()));
  expect(texts.map((result) => result.content)).toEqual(texts.map(() => [{ type: "text", text: "5\n" }]));
  expect(startsIn(home.path)).toBe(1);
});

/** Starts `nuthatch serve` and waits until it serves; `line` is what it printed. */
async function startServe(home: string, words: string[] = []) {
  const env = { ...process.env, ...PYTHON, NUTHATCH_HOME: home };
  const child = Bun.spawn([BINARY, "serve", ...words], { cwd: home, env, stdout: "pipe", stderr: "pipe" });
  const { value } = await child.stdout.getReader().read();
  return { child, line: new TextDecoder().decode(value) };
}

test("serve is the daemon in the foreground: clients use it, a second one is refused, SIGTERM ends it with status 0", async () => {
  using home = temporaryFolder();
  mkdirSync(join(home.path, "runtime"), { mode: 0o755 });
  const { child } = await startServe(home.path, ["--port", "0"]);
  expect((await status(home.path)).pid).toBe(child.pid);
  expect((await python("1", { home: home.path })).text).toBe("1\n");
  expect(statSync(join(home.path, "runtime")).mode & 0o777).toBe(0o700);
  const second = await runNuthatch(["serve"], { home: home.path });
  expect(second).toMatchObject({ exitCode: 1, stdout: "" });
  expect(second.stderr).toContain(`a daemon runs already (pid ${child.pid})`);
  child.kill("SIGTERM");
  expect(await child.exited).toBe(0);
  expect(readdirSync(join(home.path, "runtime")).filter((name) => /daemon|gateway/.test(name))).toEqual([]);
});

test("serve has the Jupyter API on a port, for whoever has the token, with the kernels of the sessions", async () => {
  using home = temporaryFolder();
  const { child, line } = await startServe(home.path, ["--port", "0", "--json"]);
  const { url, token, pid } = JSON.parse(line);
  expect([new URL(url).hostname, pid, token.length]).toEqual(["127.0.0.1", child.pid, 48]);
  expect((await fetch(`${url}api/kernels`)).status).toBe(403);
  const get = async (path: string) =>
    await (await fetch(url + path, { headers: { Authorization: `token ${token}` } })).json();
  const kernel = Number((await python("import os; print(os.getpid())", { home: home.path })).text);
  expect(await get("api/kernels")).toMatchObject([{ name: "nuthatch", connections: 1, pid: kernel }]);
  using other = temporaryFolder();
  const refused = await runNuthatch(["serve", "--port", new URL(url).port], { home: other.path });
  expect([refused.exitCode, refused.stderr]).toEqual([
    1,
    `nuthatch: error: port ${new URL(url).port} of 127.0.0.1 is taken\nnuthatch: hint: choose another with --port; 0 takes any free one\n`,
  ]);
  for (const words of [
    ["--port", "http"],
    ["--host", "0.0.0.0", "--token", ""],
  ]) {
    expect(await runNuthatch(["serve", ...words], { home: other.path })).toMatchObject({ exitCode: 1, stdout: "" });
  }
  expect((await runNuthatch(["stop"], { home: home.path })).stdout).toContain("has ended");
  expect(await child.exited).toBe(0);
});

test("with gateway shared the kernels are the daemon's and the executor the caller's; a killed caller's kernel ends", async () => {
  using home = temporaryFolder();
  const env = { ...PYTHON, NUTHATCH_GATEWAY: "shared", NUTHATCH_IDLE_TIMEOUT: "2" };
  const run = await callTool(
    "python",
    { cells: [{ code: "import os; print(os.getppid())" }] },
    { home: home.path, env },
  );
  const daemon = await status(home.path);
  expect([run.exitCode, Number(run.text)]).toEqual([0, daemon.pid]);
  const entry = JSON.parse(readFileSync(join(home.path, "runtime", "gateway.json"), "utf8"));
  expect(entry).toEqual({ pid: daemon.pid, version: VERSION, socket: join(home.path, "runtime", "gateway.sock") });
  expect(statSync(entry.socket).mode & 0o777).toBe(0o600);
  const marks = { pid: join(home.path, "pid") };
  const code = `import os, time; open(${JSON.stringify(marks.pid)}, "w").write(f"{os.getpid()}\\n"); time.sleep(600)`;
  const caller = Bun.spawn([BINARY, "call", "python", JSON.stringify({ cells: [{ code }], timeout: 600 })], {
    cwd: home.path,
    env: { ...process.env, ...env, NUTHATCH_HOME: home.path },
    stdout: "ignore",
    stderr: "ignore",
  });
  await until(() => existsSync(marks.pid) && readFileSync(marks.pid, "utf8").endsWith("\n"));
  const kernel = Number(readFileSync(marks.pid, "utf8"));
  expect(isRunning(kernel)).toBe(true);
  caller.kill("SIGKILL");
  await until(() => !isRunning(kernel));
}, 30_000);
