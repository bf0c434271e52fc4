import { expect, test } from "bun:test";
import { callTool, temporaryFolder } from "../nuthatch.ts";

test("background is refused where the process ends with the call: the run would be killed at once", async () => {
  using home = temporaryFolder();
  const input = { cells: "1", background: true };
  const { exitCode, text, result } = await callTool("python", input, { home: home.path }, ["--in-process"]);
  expect([exitCode, result.details.code]).toEqual([1, "invalid_input"]);
  expect(text).toBe(
    "Error: background needs a process that goes on after the call\nHint: use the daemon (without --in-process, and with the gateway embedded), or nuthatch mcp",
  );
});
