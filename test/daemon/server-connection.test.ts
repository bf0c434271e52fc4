import { expect, test } from "bun:test";
import { ServerConnection } from "../../src/daemon/server-connection.ts";
import { encodeLine, LineReader } from "../../src/daemon/wire.ts";

const HELLO = { hello: "nuthatch", pid: 1, version: "1.0.0", executable: "/bin/nuthatch", modified: 0 } as const;

test("a result that is longer than a client takes is an error that says so, and the next call is served", async () => {
  const reader = new LineReader();
  const replies: unknown[] = [];
  const socket = {
    write(bytes: Uint8Array) {
      replies.push(...reader.read(bytes));
      return bytes.length;
    },
    end() {},
  };
  const method = () => async (length: unknown) => "x".repeat(length as number);
  const connection = new ServerConnection(socket, { hello: HELLO, method }, 1000);
  for (const [id, params] of [2000, 10].entries())
    connection.receive(new TextEncoder().encode(encodeLine({ id, method: "repeat", params })));
  while (replies.length < 5) await Bun.sleep(1);
  expect(replies).toEqual([
    HELLO,
    { id: 0, accepted: true },
    { id: 1, accepted: true },
    {
      id: 0,
      error: {
        code: "result_too_large",
        message: "the call was done, but its result has 2021 bytes and the daemon passes on at most 1000",
        hint: "set maxOutputBytes, or have the code write large results into a file",
        data: { bytes: 2021, most: 1000 },
      },
    },
    { id: 1, result: "xxxxxxxxxx" },
  ]);
});
