import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { freePort, HAS_JUPYTER, startJupyter } from "../execute/jupyter-server.ts";
import { waitFor } from "../execute/showing.ts";
import { connectMcp } from "../mcp-client.ts";
import { BINARY, callTool, runNuthatch, temporaryFolder } from "../nuthatch.ts";
import { processesOf } from "../processes.ts";

// Each of three processes, kernel, daemon and gateway, gets each of three signals just before a call, in its cell, and after
// a call, once that is known. The call must end with the truth, the next one too, and nothing may be left running.

const SIGNALS = ["SIGKILL", "SIGSEGV", "SIGSTOP"] as const;
const MOMENTS = ["before", "during", "after"] as const;
const CASES = SIGNALS.flatMap((signal) => MOMENTS.map((moment) => [signal, moment] as const));
/** Tests that wait for somebody's patience run side by side. */
const LIMIT = 120_000;

const IS_THERE = "print('x' in globals())";
const LOST = "The state of this session was lost, the cells ran in a new kernel: ";

/** What a call may say of the state when its gateway goes on: it is there, or it is told why it is not. */
const LATE = new RegExp(`(^|\n)True\n$|^False\n${LOST}`);

/** What a call came to. */
interface Outcome {
  text: string;
  isError: boolean;
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await Bun.sleep(10);
}

function isGone(pid: number): boolean {
  try {
    return /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return true;
  }
}

/** A session of the daemon that has state, its calls from the command line, and the pids behind it. */
async function daemonSession() {
  const home = temporaryFolder();
  const options = { home: home.path, env: { NUTHATCH_KERNEL: "bundled" } };
  const read = async (words: string[]) => JSON.parse((await runNuthatch([...words, "--json"], options)).stdout);
  const call = async (code: string, more: object = {}): Promise<Outcome> => {
    const { text, result } = await callTool("python", { cells: [{ code }], ...more }, options);
    return { text, isError: result.isError };
  };
  expect(await call("x = 1")).toMatchObject({ isError: false });
  const { pid: kernel } = (await read(["sessions"])).sessions[0];
  const { pid: daemon } = await read(["status"]);
  return {
    begun: join(home.path, "begun"),
    kernel: kernel as number,
    daemon: daemon as number,
    call,
    kernelIsDead: async () => (await read(["sessions"])).sessions[0].status === "dead",
    stop: () => runNuthatch(["stop"], options),
    async [Symbol.asyncDispose]() {
      await runNuthatch(["stop"], options);
      await until(() => processesOf(home.path).length === 0);
      home[Symbol.dispose]();
    },
  };
}

/** A cell that makes a file when it has begun and then goes on for long; when it runs again it is done at once. */
function longCell(begun: string): string {
  const file = JSON.stringify(begun);
  return `import os, time\nif not os.path.exists(${file}):\n    open(${file}, "w").close()\n    time.sleep(600)\nprint("again")`;
}

describe("a kernel", () => {
  test.concurrent.each(CASES)(
    "that gets %s %s a call",
    async (signal, moment) => {
      await using session = await daemonSession();
      const send = () => process.kill(session.kernel, signal);
      const stopped = signal === "SIGSTOP";
      const limit = stopped ? { timeout: 1 } : {};
      if (moment !== "during") send();
      if (moment === "after" && !stopped) await until(session.kernelIsDead);
      const called = session.call(moment === "during" ? longCell(session.begun) : IS_THERE, limit);
      if (moment === "during") await until(() => existsSync(session.begun)).then(send);
      const { text, isError } = await called;
      if (stopped) {
        expect(text).toContain(
          "The kernel ignored the interrupt for 5 seconds and was restarted; the state of this session is gone",
        );
        expect(text).toContain("Command timed out after 1 seconds");
      } else if (moment === "during") {
        expect(text).toMatch(
          new RegExp(
            `The Python kernel died: .*${signal}.* earlier state is gone, and this cell ran again\nagain\n$`,
            "s",
          ),
        );
      } else {
        // Nobody can know of a death in the moment of the call; then the cell runs again.
        const either = moment === "before" ? "|^The Python kernel died: .*SIGNAL.*ran again\nFalse\n$" : "";
        expect(text).toMatch(new RegExp(`^False\n${LOST}.*SIGNAL.*\n$${either}`.replaceAll("SIGNAL", signal), "s"));
      }
      expect(isError).toBe(stopped);
      expect(await session.call(IS_THERE)).toEqual({ text: "False\n", isError: false });
    },
    LIMIT,
  );
});

describe("the daemon", () => {
  test.concurrent.each(CASES)(
    "that gets %s %s a call",
    async (signal, moment) => {
      await using session = await daemonSession();
      const send = () => process.kill(session.daemon, signal);
      const stopped = signal === "SIGSTOP";
      const lost = { text: `False\n${LOST}the daemon that kept it ended\n`, isError: false };
      if (moment !== "during") send();
      if (moment === "after" && !stopped) await until(() => isGone(session.daemon));
      const called = session.call(moment === "during" ? longCell(session.begun) : IS_THERE);
      if (moment === "during") await until(() => existsSync(session.begun)).then(send);
      const outcome = await called;
      if (stopped) {
        expect(outcome.text).toMatch(
          /^Error: the background daemon has not answered for \d+ seconds\n.*nuthatch stop ends it/s,
        );
        expect((await session.stop()).stdout).toContain("killed");
      } else if (moment === "during") {
        expect(outcome.text).toContain("ended during the call; its sessions and their state are gone");
      } else expect(outcome).toEqual(lost);
      expect(outcome.isError).toBe(stopped || moment === "during");
      if (outcome.isError) expect(await session.call(IS_THERE)).toEqual(lost);
      expect(await session.call(IS_THERE)).toEqual({ text: "False\n", isError: false });
    },
    LIMIT,
  );
});

/** A gateway in a process of its own, which can be started anew where it was. */
interface TestGateway extends AsyncDisposable {
  url: string;
  token: string;
  pid: number;
}

async function startServe(port: number): Promise<TestGateway> {
  const home = temporaryFolder();
  const words = ["serve", "--port", String(port), "--token", "gate", "--json", "--kernel", "bundled"];
  const env = { ...process.env, NUTHATCH_HOME: home.path };
  const child = Bun.spawn([BINARY, ...words], { cwd: home.path, env, stdout: "pipe", stderr: "ignore" });
  const { value } = await child.stdout.getReader().read();
  const { url } = JSON.parse(new TextDecoder().decode(value));
  return {
    url,
    token: "gate",
    pid: child.pid,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await child.exited;
      await until(() => processesOf(home.path).length === 0);
      home[Symbol.dispose]();
    },
  };
}

async function startJupyterServer(port: number): Promise<TestGateway> {
  const server = await startJupyter("server", ["--ServerApp.token=gate"], "/", {}, port);
  return {
    url: server.url,
    token: "gate",
    pid: server.pid,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** A session with state on a gateway, kept by an MCP server. */
async function gatewaySession(gateway: TestGateway) {
  const home = temporaryFolder();
  const env = { NUTHATCH_GATEWAY: gateway.url, NUTHATCH_GATEWAY_TOKEN: gateway.token };
  const connection = await connectMcp({ home: home.path, env });
  const call = async (code: string, more: object = {}): Promise<Outcome> => {
    const input = { name: "python", arguments: { cells: [{ code }], ...more } };
    const { content, isError = false } = await connection.client.callTool(input, { timeout: LIMIT });
    return {
      text: (content as { text?: string }[]).map(({ text = "" }) => text).join("\n"),
      isError: isError === true,
    };
  };
  expect(await call("x = 1")).toMatchObject({ isError: false });
  return {
    begun: join(home.path, "begun"),
    call,
    async [Symbol.asyncDispose]() {
      await connection[Symbol.asyncDispose]();
      await until(() => processesOf(home.path).length === 0);
      home[Symbol.dispose]();
    },
  };
}

const GATEWAYS = [
  ...SIGNALS.map((signal) => ({ signal, name: "nuthatch serve", missing: false, start: startServe })),
  ...(["SIGKILL", "SIGSTOP"] as const).map((signal) => ({
    signal,
    name: "a Jupyter server",
    missing: !HAS_JUPYTER,
    start: startJupyterServer,
  })),
];

for (const { signal, name, missing, start } of GATEWAYS) {
  const run = missing ? test.skip : test.concurrent;
  run(
    `the gateway ${name} that gets ${signal} before, during and after a call`,
    async () => {
      const port = freePort();
      // Also after a failure nothing of them stays, the stopped one neither.
      await using started = new AsyncDisposableStack();
      const startAgain = async () => {
        const gateway = started.use(await start(port));
        started.defer(() => void (isGone(gateway.pid) || process.kill(gateway.pid, "SIGCONT")));
        return gateway;
      };
      let gateway = await startAgain();
      await using session = await gatewaySession(gateway);
      for (const moment of MOMENTS) {
        expect(await breakGateway(gateway, signal, moment, session)).toMatchObject({ isError: true });
        if (signal === "SIGSTOP") {
          process.kill(gateway.pid, "SIGCONT");
          // What was sent to it arrives yet; ipykernel may end by an interrupt that comes between two cells.
          const after = await session.call(`${IS_THERE}\nx = 1`);
          expect([after.text, after.isError]).toEqual([expect.stringMatching(LATE), false]);
        } else {
          expect((await session.call(IS_THERE)).text).toStartWith("Error: Cannot reach the gateway");
          await gateway[Symbol.asyncDispose]();
          gateway = await startAgain();
          expect((await session.call(IS_THERE)).text).toStartWith(`False\n${LOST}`);
          expect(await session.call("x = 1")).toEqual({ text: "(no output)", isError: false });
        }
      }
    },
    LIMIT,
  );
}

/** Sends the signal at its moment and checks what the call says. */
async function breakGateway(
  { pid }: TestGateway,
  signal: (typeof SIGNALS)[number],
  moment: (typeof MOMENTS)[number],
  { call, begun }: Awaited<ReturnType<typeof gatewaySession>>,
): Promise<Outcome> {
  const send = () => process.kill(pid, signal);
  if (moment !== "during") send();
  if (moment === "after" && signal !== "SIGSTOP") await until(() => isGone(pid));
  const long = `open(${JSON.stringify(begun)}, "w").close()\n${waitFor(`${begun}.never`)}`;
  const called = call(moment === "during" ? long : IS_THERE, { timeout: 1 });
  if (moment === "during") await until(() => existsSync(begun)).then(send);
  const outcome = await called;
  const broken =
    "The connection to the kernel was lost while the cell ran; whether it ran to its end is not known\nCommand timed out after 1 seconds\n";
  // A connection that has gone by the time of the call is asked about, and nothing is sent then.
  if (moment === "during" || signal === "SIGSTOP") expect(outcome.text).toEndWith(broken);
  else expect(outcome.text).toMatch(new RegExp(`${broken}$|^Error: Cannot reach the gateway`));
  return outcome;
}
