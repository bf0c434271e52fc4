import { expect, test } from "bun:test";
import { VERSION } from "../../src/version.ts";
import { connectMcp, PROTOCOLS } from "../mcp-client.ts";
import { BINARY, runNuthatch, temporaryFolder } from "../nuthatch.ts";

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};

test.each(PROTOCOLS)("the official client lists the same tools as nuthatch tools (%s)", async (protocol) => {
  using home = temporaryFolder();
  await using connection = await connectMcp({ home: home.path, protocol });
  const listed = await connection.client.listTools();
  const printed = JSON.parse((await runNuthatch(["tools"], { home: home.path })).stdout);
  expect(listed.tools as unknown).toEqual(printed);
  expect(listed.tools.every((tool) => tool.outputSchema === undefined)).toBe(true);
  expect(connection.client.getServerVersion()).toMatchObject({ name: "nuthatch", version: VERSION });
  expect(connection.client.getInstructions()).toContain("Jupyter");
});

test.each(PROTOCOLS)("an unknown tool is a protocol error that names the tools (%s)", async (protocol) => {
  using home = temporaryFolder();
  await using connection = await connectMcp({ home: home.path, protocol });
  await expect(connection.client.callTool({ name: "notebok" })).rejects.toThrow(
    /unknown tool "notebok"; the tools are/,
  );
});

test.each(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])(
  "protocol version %s is negotiated",
  async (version) => {
    using home = temporaryFolder();
    const hello = { ...INITIALIZE, params: { ...INITIALIZE.params, protocolVersion: version } };
    const run = await runNuthatch(["mcp"], { home: home.path, stdin: `${JSON.stringify(hello)}\n` });
    expect([run.exitCode, run.stderr]).toEqual([0, ""]);
    expect(JSON.parse(run.stdout).result.protocolVersion).toBe(version);
  },
);

test("what was piped in before the end of the input is answered, and what is no message is skipped", async () => {
  using home = temporaryFolder();
  const lines = [
    JSON.stringify(INITIALIZE),
    "this is no JSON",
    "",
    JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }),
    JSON.stringify({ jsonrpc: "2.0", id: "two", method: "tools/list" }),
  ];
  const run = await runNuthatch(["mcp"], { home: home.path, stdin: `${lines.join("\r\n")}\n` });
  const answers = run.stdout.trimEnd().split("\n");
  expect([run.exitCode, run.stderr]).toEqual([0, ""]);
  expect(answers.map((line) => JSON.parse(line).id)).toEqual([1, "two"]);
});

test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("%s ends the server with status 0", async (signal) => {
  using home = temporaryFolder();
  const server = Bun.spawn([BINARY, "mcp"], {
    env: { ...process.env, NUTHATCH_HOME: home.path },
    stdin: "pipe",
    stdout: "pipe",
  });
  server.stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
  server.stdin.flush();
  const reader = server.stdout.getReader();
  await reader.read();
  server.kill(signal);
  expect(await server.exited).toBe(0);
});
