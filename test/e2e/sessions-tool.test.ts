import { expect, test } from "bun:test";
import { connectMcp } from "../mcp-client.ts";
import { temporaryFolder } from "../nuthatch.ts";

test("the tool sessions lists, interrupts, restarts and stops what python started", async () => {
  using home = temporaryFolder();
  const env = { NUTHATCH_KERNEL: "bundled" };
  await using connection = await connectMcp({ home: home.path, words: ["--structured"], env });
  const call = async (name: string, args: Record<string, unknown>, onprogress?: () => void) => {
    const options = onprogress === undefined ? {} : { onprogress };
    const result = await connection.client.callTool({ name, arguments: args }, options);
    // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever fields it is about
    const details = result.structuredContent as any;
    return { text: (result.content[0] as { text: string }).text, details, isError: result.isError };
  };
  expect((await call("sessions", { action: "list" })).text).toBe("No live sessions\n");
  await call("python", { cells: "x = 1" });
  await call("python", { cells: "y = 2", session: "mine" });
  const listed = await call("sessions", { action: "list" });
  expect(listed.details.sessions).toMatchObject([
    { name: home.path, cwd: home.path, status: "idle" },
    { name: "mine", cwd: home.path, status: "idle" },
  ]);

  const cells = "import time\nprint('started', flush=True)\ntime.sleep(600)";
  const started = Promise.withResolvers<void>();
  const running = call("python", { cells, session: "mine", timeout: 600 }, started.resolve);
  await started.promise;
  expect((await call("sessions", { action: "interrupt", name: "mine" })).isError).toBe(false);
  expect((await running).text).toContain("KeyboardInterrupt");
  expect((await call("python", { cells: "y", session: "mine" })).text).toBe("2\n");

  await call("sessions", { action: "restart", session: "mine" });
  expect((await call("python", { cells: "y", session: "mine" })).text).toContain("NameError");
  await call("sessions", { action: "stop", name: "mine" });
  expect((await call("sessions", { action: "list" })).details.sessions.length).toBe(1);
  expect(await call("sessions", { action: "stop" })).toMatchObject({ isError: true, details: { parameter: "name" } });
  expect((await call("sessions", { action: "stop", name: "mine" })).text).toStartWith("Error: ");
});
