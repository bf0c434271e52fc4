import { expect, test } from "bun:test";
import { join } from "node:path";
import { DaemonConnection } from "../../src/daemon/connection.ts";
import { encodeLine, LineReader, type Request } from "../../src/daemon/wire.ts";
import { temporaryFolder } from "../nuthatch.ts";

/** Seconds; a connection gives up at the third time of it. */
const PATIENCE = 0.25;

/** Something that greets as a daemon does, accepts every call, and says no more to it; `status` it answers if it `answers`. */
function listen(path: string, answers: boolean) {
  const asked: string[] = [];
  const reader = new LineReader();
  const server = Bun.listen({
    unix: path,
    socket: {
      open: (socket) => {
        const hello = { hello: "nuthatch", pid: 1, version: "1", executable: "/x", modified: 1 } as const;
        socket.write(encodeLine(hello));
      },
      data: (socket, chunk) => {
        for (const { id, method } of reader.read(chunk) as Extract<Request, { id: number }>[]) {
          asked.push(method);
          if (method !== "status") socket.write(encodeLine({ id, accepted: true }));
          else if (answers) socket.write(encodeLine({ id, result: {} }));
        }
      },
    },
  });
  return { asked, [Symbol.dispose]: () => server.stop(true) };
}

const connect = async (path: string) => (await DaemonConnection.open(path, PATIENCE)) as DaemonConnection;

test("a call to a daemon that took it and was stopped then ends with an error that says so", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "d.sock");
  using daemon = listen(path, false);
  const connection = await connect(path);
  const error = await connection.request("callTool", {}).then(Object, (caught) => caught);
  expect([error.code, error.message]).toEqual([
    "daemon_unresponsive",
    "the background daemon has not answered for 0.5 seconds",
  ]);
  expect(daemon.asked).toEqual(["callTool", "status", "status"]);
  expect(connection.isOpen).toBe(false);
});

test("a call to a daemon that is only busy goes on, and nothing is asked where no call is under way", async () => {
  using folder = temporaryFolder();
  const paths = ["busy", "idle"].map((name) => join(folder.path, name));
  using daemon = listen(paths[0] as string, true);
  using other = listen(paths[1] as string, true);
  const idle = await connect(paths[1] as string);
  const busy = await connect(paths[0] as string);
  const call = busy.request("callTool", {}).catch((error) => error.code);
  while (daemon.asked.length < 6) await Bun.sleep(5);
  expect([busy.isOpen, idle.isOpen, other.asked]).toEqual([true, true, []]);
  busy.close();
  expect(await call).toBe("client_closed");
  idle.close();
});
