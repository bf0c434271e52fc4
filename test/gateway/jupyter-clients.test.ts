// Jupyter's own clients of a gateway on ours: jupyter_server's (needs .venv), and the integration tests that come with the
// Enterprise Gateway (needs .venv-enterprise, and IRkernel for R). They know no token for a WebSocket, so there is none.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type GatewayServer, serveGateway } from "../../src/gateway/gateway-server.ts";
import { HAS_ENTERPRISE } from "../execute/jupyter-server.ts";
import { KINDS, type LiveExecutor, liveExecutor } from "../execute/live-executor.ts";

const ROOT = join(import.meta.dir, "../..");
const SCRIPT = join(import.meta.dir, "gateway-manager.py");
const HAS_R = existsSync("/usr/share/jupyter/kernels/ir");
const LIMIT = 60_000;

let live: LiveExecutor;
let server: GatewayServer;
beforeAll(() => {
  live = liveExecutor("auto");
  server = serveGateway(live.gateway, { hostname: "127.0.0.1", port: 0, token: "" });
});
afterAll(async () => {
  await server.stop();
  await live[Symbol.asyncDispose]();
});

/** Runs a Python program of one of the environments to its end. */
async function runPython(venv: string, words: string[], more: Record<string, string> = {}) {
  const env = { ...process.env, HOME: live.home, JUPYTER_CONFIG_DIR: live.home, ...more };
  const python = join(ROOT, venv, "bin/python");
  const child = Bun.spawn([python, ...words], { cwd: live.cwd, env, stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { stdout, stderr, exitCode: await child.exited };
}

describe.skipIf(KINDS.some(({ missing }) => missing))("jupyter_server's client of a gateway", () => {
  test.each(["python3", "nuthatch"])(
    "finds, starts, runs, interrupts, restarts and ends the kernel %s",
    async (name) => {
      const { stdout, stderr } = await runPython(".venv", [SCRIPT, server.url, name]);
      expect(stdout, stderr).not.toBe("");
      expect(JSON.parse(stdout.trim().split("\n").at(-1) as string)).toEqual({
        language: "python",
        executed: ["ok", "", "hello\n"],
        failed: ["error", "ZeroDivisionError", ""],
        interrupted: "KeyboardInterrupt",
        kept: ["ok", "", "1\n"],
        alive: true,
        listed: [true],
        restarted: ["ok", "", "False\n"],
        left: [],
      });
    },
    LIMIT,
  );
});

describe.skipIf(!HAS_ENTERPRISE)("the integration tests of the Enterprise Gateway's client", () => {
  const runTests = async (suite: string, env: Record<string, string>) => {
    const words = ["-W", "ignore", "-m", "unittest", `enterprise_gateway.itests.${suite}`];
    // Its pattern for the host's name is this and a star, which alone is no regular expression.
    const host = { GATEWAY_HOST: new URL(server.url).host, ITEST_HOSTNAME_PREFIX: ".", LOG_LEVEL: "ERROR" };
    return (await runPython(".venv-enterprise", words, { ...host, ...env })).stderr;
  };

  test.each(["python3", "nuthatch"])(
    "pass on the Python kernel %s",
    async (name) => {
      const report = await runTests("test_python_kernel.TestPythonKernelLocal", { PYTHON_KERNEL_LOCAL_NAME: name });
      expect(report).toMatch(/Ran 5 tests in .*\n\nOK\n/);
    },
    LIMIT,
  );

  test.skipIf(!HAS_R)(
    "pass on IRkernel",
    async () => {
      const report = await runTests("test_r_kernel.TestRKernelLocal", { R_KERNEL_LOCAL_NAME: "ir" });
      expect(report).toMatch(/Ran \d+ tests in .*\n\nOK\n/);
    },
    LIMIT,
  );
});
