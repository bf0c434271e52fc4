import { expect, test } from "bun:test";
import { chmodSync, existsSync } from "node:fs";
import { daemonFiles } from "../../src/daemon/daemon-files.ts";
import { temporaryFolder } from "../nuthatch.ts";
import { callOptions, connectIn, directoriesOf, serveApp, TestApp } from "./daemon-in-test.ts";

const CLIENT = `
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
print(len(s.recv(100)))
`;

/** An interpreter that another user may run, unlike one in somebody's home. */
const PYTHON = "/usr/bin/python3";

test.skipIf(process.getuid?.() !== 0 || !existsSync(PYTHON))(
  "a peer of another user gets nothing, even where it may open the socket (needs root and /usr/bin/python3)",
  async () => {
    using home = temporaryFolder();
    await using _ = await serveApp(home.path, new TestApp(async () => "served"));
    const { socket } = daemonFiles(directoriesOf(home.path).runtime);
    for (const [path, mode] of [
      [home.path, 0o755],
      [`${home.path}/runtime`, 0o755],
      [socket, 0o666],
    ] as const) {
      chmodSync(path, mode);
    }
    const read = async (user: number) => {
      const words = ["setpriv", `--reuid=${user}`, "--clear-groups", PYTHON, "-c", CLIENT, socket];
      const child = Bun.spawn(words, { stdout: "pipe", stderr: "inherit" });
      return (await new Response(child.stdout).text()).trim();
    };
    expect(await read(65534)).toBe("0");
    expect(await read(0)).toMatch(/^\d\d+$/);
    const client = await connectIn(home.path);
    expect((await client.callTool("any", {}, callOptions(home.path))).details.value).toBe("served");
    await client.dispose();
  },
);
