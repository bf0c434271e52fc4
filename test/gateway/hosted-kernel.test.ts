import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { createGateway } from "../../src/gateway/gateway.ts";
import { MessageBacklog } from "../../src/gateway/message-backlog.ts";
import type { KernelMessage } from "../../src/kernel/message.ts";
import { temporaryFolder } from "../nuthatch.ts";
import { type FakeKernel, fakeProvider, message } from "./fake-kernel.ts";

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

async function hostFake() {
  const provider = fakeProvider();
  const gateway = createGateway({ kernels: provider, cwd: "/", env: {}, spillFolder: folder.path });
  const started = await gateway.fetch("http://embedded.invalid/api/kernels", { method: "POST", body: "{}" });
  const { id } = (await started.json()) as { id: string };
  return { gateway, id, kernel: provider.kernels[0] as FakeKernel };
}

/** A client that notes what it gets, and takes `most` messages before it asks to wait. */
function client(most = Number.POSITIVE_INFINITY) {
  const got: KernelMessage[] = [];
  const state = { most, closed: false };
  return {
    state,
    texts: () => got.map(({ content }) => content.text),
    types: () => got.map(({ header }) => header.msg_type),
    got,
    receiver: {
      receive(received: KernelMessage) {
        got.push(received);
        return got.length < state.most;
      },
      closed() {
        state.closed = true;
      },
    },
  };
}

const line = (text: unknown) => message("iopub", "stream", { name: "stdout", text });

/** How many files of a folder this process holds open, those without a name too. */
function openFilesOf(path: string): number {
  const files = readdirSync("/proc/self/fd").filter((name) => existsSync(`/proc/self/fd/${name}`));
  return files.filter((name) => readlinkSync(`/proc/self/fd/${name}`).startsWith(path)).length;
}

describe("a hosted kernel", () => {
  test("gives iopub to every client, and a reply to the one that asked", async () => {
    const { gateway, id, kernel } = await hostFake();
    const [first, second] = [client(), client()];
    const one = gateway.connect(id, "one");
    one?.attach(first.receiver);
    gateway.connect(id, "two")?.attach(second.receiver);
    const request = message("shell", "kernel_info_request");
    one?.send(request);
    kernel.say(message("iopub", "status", { execution_state: "busy" }, request.header));
    kernel.say(message("shell", "kernel_info_reply", {}, request.header));
    kernel.say(message("stdin", "input_request", {}, request.header));
    expect(first.types()).toEqual(["status", "kernel_info_reply"]);
    expect(second.types()).toEqual(["status"]);
    await gateway.dispose();
    expect([first.state.closed, second.state.closed]).toEqual([true, true]);
  });

  test("keeps what arrives while a client is away, and gives it to the same session in order", async () => {
    const { gateway, id, kernel } = await hostFake();
    const [before, after, other] = [client(), client(), client()];
    const connection = gateway.connect(id, "me");
    connection?.attach(before.receiver);
    kernel.say(line(1));
    connection?.close();
    kernel.say(line(2));
    kernel.say(line(3));
    gateway.connect(id, "somebody")?.attach(other.receiver);
    gateway.connect(id, "me")?.attach(after.receiver);
    kernel.say(line(4));
    expect([before.texts(), after.texts(), other.texts()]).toEqual([[1], [2, 3, 4], [4]]);
    await gateway.dispose();
  });

  test("keeps nothing for a client without a session, which cannot come back for it", async () => {
    const { gateway, id, kernel } = await hostFake();
    const [gone, stays] = [client(), client()];
    const connection = gateway.connect(id, undefined);
    connection?.attach(gone.receiver);
    gateway.connect(id, undefined)?.attach(stays.receiver);
    kernel.say(line(1));
    connection?.close();
    const text = "x".repeat(1024 * 1024);
    for (let i = 0; i < 20; i++) kernel.say(line(text));
    expect([gone.texts(), stays.texts().length, openFilesOf(folder.path)]).toEqual([[1], 21, 0]);
    await gateway.dispose();
  });

  test("waits for a slow client without holding up the others, and loses nothing", async () => {
    const { gateway, id, kernel } = await hostFake();
    const [slow, fast] = [client(2), client()];
    const connection = gateway.connect(id, "slow");
    connection?.attach(slow.receiver);
    gateway.connect(id, "fast")?.attach(fast.receiver);
    for (let i = 0; i < 6; i++) kernel.say(line(i));
    expect([slow.texts(), fast.texts()]).toEqual([
      [0, 1],
      [0, 1, 2, 3, 4, 5],
    ]);
    slow.state.most = 4;
    connection?.resume(slow.receiver);
    expect(slow.texts()).toEqual([0, 1, 2, 3]);
    slow.state.most = Number.POSITIVE_INFINITY;
    connection?.resume(slow.receiver);
    kernel.say(line(6));
    expect(slow.texts()).toEqual([0, 1, 2, 3, 4, 5, 6]);
    await gateway.dispose();
  });

  test("tells every client of its death once, with the exit, and of a restart by somebody else", async () => {
    const { gateway, id, kernel } = await hostFake();
    const watcher = client();
    gateway.connect(id, "watcher")?.attach(watcher.receiver);
    await gateway.fetch(`http://embedded.invalid/api/kernels/${id}/restart`, { method: "POST" });
    // Its process may say both itself: the one late, the other before its exit is known.
    kernel.say(message("iopub", "status", { execution_state: "starting" }));
    kernel.say(message("iopub", "status", { execution_state: "dead" }));
    kernel.die({ code: null, signal: "SIGKILL", stderr: "last words" });
    await kernel.exited;
    await Promise.resolve();
    expect(watcher.got.map(({ content }) => content)).toEqual([
      { execution_state: "starting" },
      { execution_state: "dead", exit: { code: null, signal: "SIGKILL", stderr: "last words" } },
    ]);
    await gateway.dispose();
  });
});

describe("a backlog", () => {
  test("keeps order through memory and file, is empty again, and leaves no file", async () => {
    const backlog = new MessageBacklog(folder.path, { memory: 2000, file: 1_000_000 });
    const sent = Array.from({ length: 50 }, (_, index) => ({ ...line(index), buffers: [new Uint8Array([index])] }));
    for (const one of sent.slice(0, 30)) expect(backlog.add(one)).toBe(true);
    const read = Array.from({ length: 10 }, () => backlog.shift());
    for (const one of sent.slice(30)) expect(backlog.add(one)).toBe(true);
    for (let next = backlog.shift(); next !== undefined; next = backlog.shift()) read.push(next);
    expect(read.map((one) => [one?.content.text, one?.buffers[0]?.[0]])).toEqual(
      sent.map((_, index) => [index, index]),
    );
    expect(backlog.isEmpty).toBe(true);
    expect([...new Bun.Glob("*").scanSync(folder.path)]).toEqual([]);
  });

  test("says so when it can keep no more", () => {
    const backlog = new MessageBacklog(folder.path, { memory: 1, file: 1000 });
    expect(backlog.add(line("x"))).toBe(true);
    expect(backlog.add(line("x".repeat(1000)))).toBe(false);
    backlog.clear();
    expect(backlog.isEmpty).toBe(true);
    const unwritable = new MessageBacklog("/proc/nowhere", { memory: 1, file: 1000 });
    expect(unwritable.add(line("x"))).toBe(false);
  });
});

describe("abandoned kernels", () => {
  test("a kernel that no client is connected to for the time ends; one that has a client, or had one lately, stays", async () => {
    const { gateway, id, kernel } = await hostFake();
    const exists = async () => (await gateway.fetch(`http://embedded.invalid/api/kernels/${id}`)).status === 200;
    await gateway.endAbandoned(60_000);
    expect(await exists()).toBe(true);
    const connection = gateway.connect(id, "one");
    connection?.attach(client().receiver);
    await gateway.endAbandoned(0);
    expect(await exists()).toBe(true);
    connection?.close();
    await gateway.endAbandoned(60_000);
    expect(await exists()).toBe(true);
    await gateway.endAbandoned(0);
    expect(await exists()).toBe(false);
    expect(kernel.status).toBe("dead");
  });
});
