import { expect, test } from "bun:test";
import type { KernelMessage } from "../../src/kernel/message.ts";
import { makeMessage } from "../../src/kernel/message-signer.ts";
import type { Kernel } from "../../src/kernel/model.ts";
import { createTestHost, sendCell } from "./host.ts";

/** Asks a kernel what it is; resolves with all that it says to that. */
async function askInfo(kernel: Kernel): Promise<KernelMessage[]> {
  const request = makeMessage("shell", "kernel_info_request", {}, "test");
  const said: KernelMessage[] = [];
  const done = Promise.withResolvers<void>();
  const unsubscribe = kernel.subscribe((message) => {
    if (message.parent_header.msg_id === request.header.msg_id) said.push(message);
    if (said.length === 3) done.resolve();
  });
  kernel.send(request);
  await done.promise;
  unsubscribe();
  return said;
}

/** What two answers must have in common, whoever gave them, and in whatever order their channels came. */
const comparable = (said: KernelMessage[]) =>
  said
    .map(({ channel, header, content, metadata }) => {
      const { msg_type, session, version, username } = header;
      return { channel, msg_type, session, version, username, content, metadata };
    })
    .sort((left, right) => left.channel.localeCompare(right.channel));

test("the first question, what a kernel is, is answered from its start, in the kernel's own words", async () => {
  await using host = createTestHost();
  const kernel = await host.start("bundled");
  process.kill(kernel.pid, "SIGSTOP");
  const first = await askInfo(kernel);
  process.kill(kernel.pid, "SIGCONT");
  expect(first.map(({ header, content }) => content.execution_state ?? header.msg_type)).toEqual([
    "busy",
    "kernel_info_reply",
    "idle",
  ]);
  expect(comparable(first)).toEqual(comparable(await askInfo(kernel)));
  expect(kernel.status).toBe("idle");
});

test("after another request it takes its turn, also in a kernel that was restarted", async () => {
  await using host = createTestHost();
  const kernel = await host.start("bundled");
  await kernel.restart();
  process.kill(kernel.pid, "SIGSTOP");
  const order: string[] = [];
  const cell = sendCell(kernel, "1").done.then(() => order.push("cell"));
  const info = askInfo(kernel).then(() => order.push("info"));
  await Bun.sleep(0);
  expect(order).toEqual([]);
  process.kill(kernel.pid, "SIGCONT");
  await Promise.all([cell, info]);
  expect(order).toEqual(["cell", "info"]);
});
