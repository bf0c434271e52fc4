import { expect, test } from "bun:test";
import { daemonFiles } from "../../src/daemon/daemon-files.ts";
import { encodeLine, LineReader } from "../../src/daemon/wire.ts";
import type { ToolUpdate } from "../../src/tools/tool.ts";
import { temporaryFolder } from "../nuthatch.ts";
import { callOptions, directoriesOf, serveApp, TestApp } from "./daemon-in-test.ts";

const LINE = `${"x".repeat(1023)}\n`;
const LINES = 64 * 1024;

test("a client that stops reading makes the daemon hold little, is told what it missed, and gets the whole result", async () => {
  using home = temporaryFolder();
  const printed = Promise.withResolvers<void>();
  const resumed = Promise.withResolvers<void>();
  const app = new TestApp(async (_, { onUpdate }) => {
    for (let line = 0; line < LINES; line++) onUpdate?.({ content: [{ type: "text", text: LINE }], details: {} });
    printed.resolve();
    await resumed.promise;
    onUpdate?.({ content: [{ type: "text", text: "last\n" }], details: {} });
    return "done";
  });
  await using _ = await serveApp(home.path, app);
  const before = process.memoryUsage.rss();
  const text: string[] = [];
  const finished = Promise.withResolvers<unknown>();
  const reader = new LineReader();
  const socket = await Bun.connect({
    unix: daemonFiles(directoriesOf(home.path).runtime).socket,
    socket: {
      open: (socket) => {
        socket.pause();
        const params = { name: "any", input: {}, options: callOptions(home.path), updates: true };
        socket.write(encodeLine({ id: 1, method: "callTool", params }));
      },
      data: (_, chunk) => {
        for (const value of reader.read(chunk) as { update?: ToolUpdate; result?: unknown }[]) {
          for (const block of value.update?.content ?? []) if (block.type === "text") text.push(block.text);
          if (value.result) finished.resolve(value.result);
        }
        if (text.join("").length > 2 ** 20) resumed.resolve();
      },
    },
  });
  await printed.promise;
  expect(process.memoryUsage.rss() - before).toBeLessThan(48 * 2 ** 20);
  socket.resume();
  expect(await finished.promise).toMatchObject({ details: { value: "done" } });
  const missed = Number(/\[(\d+) bytes of output were not streamed/.exec(text.join(""))?.[1]);
  const streamed = text.filter((block) => block === LINE).length * LINE.length;
  expect(missed).toBeGreaterThan(LINES * LINE.length * 0.8);
  expect(missed + streamed).toBe(LINES * LINE.length);
  expect(text.at(-1)).toBe("last\n");
  socket.end();
});
