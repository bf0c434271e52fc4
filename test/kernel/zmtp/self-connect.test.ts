import { expect, test } from "bun:test";
import { join } from "node:path";
import { hasPyzmq } from "./pyzmq-peer.ts";

const PORT = 40000;
const namespaces = Bun.spawnSync(["sh", "-c", "unshare -rn true"]).success;

test.skipIf(!namespaces || !hasPyzmq)(
  "a socket that meets itself on an unbound port (needs network namespaces) goes on until the peer has bound it",
  async () => {
    const script = [
      "ip link set lo up",
      `echo ${PORT} ${PORT + 1} > /proc/sys/net/ipv4/ip_local_port_range`,
      `exec "${process.execPath}" "${join(import.meta.dir, "self-connect.ts")}" ${PORT}`,
    ].join(" && ");
    const child = Bun.spawn(["unshare", "-rn", "sh", "-c", script], { stdout: "pipe", stderr: "inherit" });
    expect(await new Response(child.stdout).text()).toBe("found you\n");
    expect(await child.exited).toBe(0);
  },
);
