import { describe, expect, test } from "bun:test";
import type { GatewaySettings } from "../../src/execute/gateway-settings.ts";
import type { MemorySocket } from "../../src/gateway/memory-socket.ts";
import { ScriptedExecutor } from "./scripted-executor.ts";
import type { ScriptedKernel } from "./scripted-kernel.ts";

const only = (scripted: ScriptedExecutor) => [...scripted.provider.live][0] as ScriptedKernel;

/** A WebSocket class whose sockets can be dropped, as a network does; `forgets` has a server that keeps nothing meanwhile. */
function droppable(settings: GatewaySettings, forgets: boolean) {
  const sockets: MemorySocket[] = [];
  const Base = settings.WebSocket as new (url: string) => MemorySocket;
  const WebSocket = class extends Base {
    constructor(url: string) {
      super(forgets ? url.replace(/session_id=[^&]*/, `session_id=${crypto.randomUUID()}`) : url);
      sockets.push(this);
    }
  };
  const drop = () => sockets.splice(0).at(-1)?.close(1006);
  return { settings: { ...settings, WebSocket }, drop };
}

describe("odd replies", () => {
  test("a request that the kernel aborted never ran: its cell is pending, and the call failed", async () => {
    await using scripted = new ScriptedExecutor();
    const { details, isError, text } = await scripted.run("abort");
    expect(details.cells[0]).toMatchObject({ status: "pending", exitCode: null });
    expect(isError).toBe(true);
    expect(text).toContain("did not run the cell");
  });

  test("a reply whose idle is lost ends the cell after a limit, and says that output may be missing", async () => {
    await using scripted = new ScriptedExecutor();
    const { details, isError, text } = await scripted.run("no idle");
    expect(details.cells[0]?.status).toBe("complete");
    expect(isError).toBe(false);
    expect(text).toContain("The end of the output may be missing");
  }, 20_000);
});

describe("a kernel that ends between the reply and idle", () => {
  test("has run its cell, which does not run again; the next call is told of the lost state", async () => {
    await using scripted = new ScriptedExecutor();
    const running = scripted.run("no idle");
    while (scripted.executor.listSessions()[0]?.status !== "busy") await Bun.sleep(1);
    await Bun.sleep(100);
    only(scripted).kill();
    const { details, text } = await running;
    expect(details.cells[0]).toMatchObject({ status: "complete", restarted: false });
    expect(text).toContain("The end of the output may be missing");
    expect((await scripted.run("get")).text).toContain("The state of this session was lost");
  });
});

describe("a connection that drops while a cell runs", () => {
  async function runAndDrop(forgets: boolean) {
    let drop = () => {};
    const scripted = new ScriptedExecutor({}, (settings) => {
      const dropping = droppable(settings, forgets);
      drop = () => void dropping.drop();
      return dropping.settings;
    });
    await scripted.run("set kept");
    const running = scripted.run("hold");
    while (scripted.executor.listSessions()[0]?.status !== "busy") await Bun.sleep(1);
    drop();
    only(scripted).release();
    return { scripted, result: await running };
  }

  test("has the cell's result all the same where the server keeps it", async () => {
    const { scripted, result } = await runAndDrop(false);
    await using _ = scripted;
    expect(result.details.cells[0]?.status).toBe("complete");
    expect((await scripted.run("get")).text).toBe("kept\n");
  });

  test("reports the loss where the server has forgotten it, and keeps the session", async () => {
    const { scripted, result } = await runAndDrop(true);
    await using _ = scripted;
    expect(result.isError).toBe(true);
    expect(result.text).toContain("the cell's result is lost");
    expect((await scripted.run("get")).text).toBe("kept\n");
  });
});

describe("a gateway that cannot be reached for a while", () => {
  test("has the session's state when it is there again, though dead sessions were cleaned up meanwhile", async () => {
    let isDown = false;
    await using scripted = new ScriptedExecutor({ cleanUp: 5 }, (settings) => ({
      ...settings,
      fetch: async (input, init) => {
        if (isDown) throw new Error("no route to host");
        return await settings.fetch(input, init);
      },
    }));
    await scripted.run("set kept");
    isDown = true;
    const { text } = await scripted.run("hold", { timeout: 1 });
    expect(text).toContain("The connection to the kernel was lost");
    await Bun.sleep(50);
    isDown = false;
    only(scripted).release();
    expect((await scripted.run("get")).text).toBe("kept\n");
  }, 20_000);
});

describe("a connection that does not come back", () => {
  test("ends the cell that waits for it after a limit; the kernel goes on, and is found again", async () => {
    let isDown = false;
    const sockets: MemorySocket[] = [];
    await using scripted = new ScriptedExecutor({ heartbeat: 5, reconnection: 50 }, (settings) => ({
      ...settings,
      fetch: async (input, init) => {
        if (isDown) throw new Error("no route to host");
        return await settings.fetch(input, init);
      },
      WebSocket: class extends (settings.WebSocket as new (url: string) => MemorySocket) {
        constructor(url: string) {
          super(isDown ? url.replace(/kernels\/[^/]+/, "kernels/nowhere") : url);
          sockets.push(this);
        }
      },
    }));
    await scripted.run("set kept");
    const running = scripted.run("hold");
    while (scripted.executor.listSessions()[0]?.status !== "busy") await Bun.sleep(1);
    isDown = true;
    sockets.at(-1)?.close(1006);
    const { text, isError } = await running;
    expect([text, isError]).toEqual([expect.stringContaining("The connection to the kernel was lost"), true]);
    isDown = false;
    only(scripted).release();
    expect((await scripted.run("get")).text).toBe("kept\n");
  });
});

describe("a kernel that somebody else ends or restarts", () => {
  test("is noticed by the heartbeat, and the next call has another", async () => {
    await using scripted = new ScriptedExecutor({ heartbeat: 5 });
    await scripted.run("set x");
    const [kernel] = (await (await scripted.gateway.fetch("http://embedded.invalid/api/kernels")).json()) as {
      id: string;
    }[];
    await scripted.gateway.fetch(`http://embedded.invalid/api/kernels/${kernel?.id}`, { method: "DELETE" });
    while (scripted.executor.listSessions()[0]?.status !== "dead") await Bun.sleep(1);
    expect((await scripted.run("get")).text).toMatch(/^nothing\nThe state of this session was lost/);
  });

  test("in a cell ends the cell; what the other client has put into the new kernel stays", async () => {
    await using scripted = new ScriptedExecutor();
    await scripted.run("set mine");
    const running = scripted.run("hold", { settings: { crashRetry: "never" } });
    while (scripted.executor.listSessions()[0]?.status !== "busy") await Bun.sleep(1);
    const [kernel] = (await (await scripted.gateway.fetch("http://embedded.invalid/api/kernels")).json()) as {
      id: string;
    }[];
    await scripted.gateway.fetch(`http://embedded.invalid/api/kernels/${kernel?.id}/restart`, { method: "POST" });
    const { isError, text } = await running;
    expect(isError).toBe(true);
    expect(text).toContain("another client restarted it");
    expect((await scripted.run("get")).text).toMatch(/^nothing\nThe state of this session was lost.*another client/);
    expect(scripted.provider.live.size).toBe(1);
  });
});
