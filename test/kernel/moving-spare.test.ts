import { expect, test } from "bun:test";
import type { Incarnation } from "../../src/kernel/incarnation.ts";
import type { KernelMessage } from "../../src/kernel/message.ts";
import type { KernelExit } from "../../src/kernel/model.ts";
import { MovingSpare } from "../../src/kernel/moving-spare.ts";
import { message } from "../gateway/fake-kernel.ts";

/** A process that notes what is done to it, and ends when it is asked to. */
function fakeProcess(pid: number) {
  const exit = Promise.withResolvers<KernelExit>();
  const done: string[] = [];
  const incarnation: Incarnation = {
    pid,
    exited: exit.promise,
    info: message("shell", "kernel_info_reply"),
    send: ({ header }: KernelMessage) => void done.push(header.msg_type),
    run: async () => true,
    beat: async () => true,
    interrupt: () => void done.push("interrupt"),
    async shutdown() {
      done.push("shutdown");
      exit.resolve({ code: 0, signal: null, stderr: "" });
    },
  };
  return { incarnation, done };
}

function move(replace = async (): Promise<Incarnation> => Promise.reject(new Error("no replacement is wanted"))) {
  const spare = fakeProcess(1);
  const moved = Promise.withResolvers<boolean>();
  const moving = new MovingSpare(spare.incarnation, { moved: moved.promise, replace, prepared: true });
  return { spare, moved, moving };
}

const request = (type: string) => message("shell", type);

test("what a spare is sent on its way follows the move at once and only once; an interrupt has nothing to stop then", async () => {
  const { spare, moved, moving } = move();
  moving.send(request("kernel_info_request"));
  moving.interrupt();
  moving.send(request("execute_request"));
  expect(spare.done).toEqual(["kernel_info_request", "execute_request"]);
  moved.resolve(true);
  expect(await moving.beat(1)).toBe(true);
  moving.interrupt();
  expect(spare.done).toEqual(["kernel_info_request", "execute_request", "interrupt"]);
  expect(moving.pid).toBe(1);
});

test("a cell that follows the move is interrupted when the move is done, not before", async () => {
  const { spare, moved, moving } = move();
  moving.send(request("execute_request"));
  moving.interrupt();
  expect(spare.done).toEqual(["execute_request"]);
  moved.resolve(true);
  await moving.beat(1);
  expect(spare.done).toEqual(["execute_request", "interrupt"]);
});

test("where a spare does not arrive its replacement gets the same, and its end is no end", async () => {
  const other = fakeProcess(2);
  const { spare, moved, moving } = move(async () => other.incarnation);
  moving.send(request("execute_request"));
  moved.resolve(false);
  expect(await moving.run("1", 1)).toBe(true);
  expect([moving.pid, spare.done, other.done]).toEqual([2, ["execute_request"], ["execute_request"]]);
  await spare.incarnation.shutdown(false);
  expect(await Promise.race([moving.exited, "lives"])).toBe("lives");
  await moving.shutdown(false);
  expect(other.done).toEqual(["execute_request", "shutdown"]);
});

test("without a replacement it has ended, and says why", async () => {
  const { moved, moving } = move(async () => Promise.reject(new Error("too many open files")));
  moved.resolve(false);
  expect(await moving.exited).toEqual({ code: null, signal: null, stderr: "too many open files" });
  await moving.shutdown(false);
});

test("shut down on its way it is replaced by nobody", async () => {
  const { spare, moved, moving } = move();
  const ended = moving.shutdown(false);
  moved.resolve(false);
  await ended;
  expect([spare.done, await moving.exited]).toEqual([["shutdown"], { code: 0, signal: null, stderr: "" }]);
});
