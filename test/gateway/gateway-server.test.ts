import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { connectGateway } from "../../src/execute/remote-gateway.ts";
import { sharedGateway } from "../../src/execute/shared-gateway.ts";
import { type GatewayServer, serveGateway } from "../../src/gateway/gateway-server.ts";
import { encodeMessage, V1_PROTOCOL } from "../../src/gateway/wire.ts";
import { HAS_JUPYTER, startJupyter } from "../execute/jupyter-server.ts";
import { type LiveExecutor, liveExecutor } from "../execute/live-executor.ts";
import { message } from "./fake-kernel.ts";

const TOKEN = "tok+/=é";
const authorized = `token=${encodeURIComponent(TOKEN)}`;

let live: LiveExecutor;
let server: GatewayServer;

beforeAll(() => {
  live = liveExecutor("bundled");
  server = serveGateway(live.gateway, { hostname: "127.0.0.1", port: 0, token: TOKEN, basePath: "/base/path" });
});
afterAll(async () => {
  await server.stop();
  await live[Symbol.asyncDispose]();
});

const get = async (path: string, init?: RequestInit) => await fetch(`${server.url}${path}`, init);

async function startKernel(): Promise<string> {
  const response = await get(`api/kernels?${authorized}`, {
    method: "POST",
    body: JSON.stringify({ name: "bundled" }),
  });
  expect(response.status).toBe(201);
  return ((await response.json()) as { id: string }).id;
}

/** Opens a kernel's channels and asks for kernel_info; gives the protocol and the reply's frame. */
async function askInfo(id: string, protocols: string[]) {
  const url = `${server.url.replace("http", "ws")}api/kernels/${id}/channels?${authorized}`;
  const socket = new WebSocket(url, protocols);
  socket.binaryType = "arraybuffer";
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error("no connection"));
  });
  const { header } = message("shell", "kernel_info_request");
  const frame = Promise.withResolvers<string | ArrayBuffer>();
  socket.onmessage = ({ data }) => {
    if (Buffer.from(data as ArrayBuffer).includes("kernel_info_reply")) frame.resolve(data as string);
  };
  if (protocols.length === 0) {
    socket.send(JSON.stringify({ channel: "shell", header, parent_header: {}, metadata: {}, content: {} }));
  } else {
    const request = { ...message("shell", "kernel_info_request"), header };
    socket.send(Buffer.from(encodeMessage(request, true) as Uint8Array));
  }
  const reply = await frame.promise;
  const { protocol } = socket;
  socket.close();
  return { protocol, reply };
}

describe("a gateway that listens", () => {
  test("tells its version to everybody and the rest to those with the token", async () => {
    expect(await (await get("api")).json()).toEqual({ version: expect.any(String) });
    for (const path of [
      "api/status",
      "api/kernels",
      "api/kernelspecs",
      "api/sessions",
      "kernelspecs/python3/logo-64x64.png",
    ]) {
      expect((await get(path)).status).toBe(403);
    }
    expect((await get(`api/status?${authorized}`)).status).toBe(200);
    expect((await fetch(new URL("/api/status", server.url))).status).toBe(404);
    expect((await get(`api/nothing?${authorized}`)).status).toBe(404);
    expect((await get(`api/status?${authorized}`, { method: "POST" })).status).toBe(405);
  });

  test("finds nothing at a path that is wrongly encoded, and tells nothing of itself there", async () => {
    const headers = { Connection: "Upgrade", Upgrade: "websocket", "Sec-WebSocket-Version": "13" };
    for (const path of ["api/kernels/%zz", "api/kernels/%zz/channels", "kernelspecs/%zz/logo-svg.svg"]) {
      const answer = await get(`${path}?${authorized}`, { headers });
      expect([answer.status, await answer.json()]).toEqual([404, { message: "Not Found", reason: null }]);
    }
  });

  test("lists python3, the bundled kernel and the host's own, with their files and nothing beside them", async () => {
    const { default: preferred, kernelspecs } = (await (await get(`api/kernelspecs?${authorized}`)).json()) as {
      default: string;
      kernelspecs: Record<string, { resources: Record<string, string> }>;
    };
    expect(preferred).toBe("python3");
    expect(Object.keys(kernelspecs)).toEqual(expect.arrayContaining(["python3", "nuthatch"]));
    for (const path of Object.values(kernelspecs).flatMap(({ resources }) => Object.values(resources))) {
      expect((await fetch(`${new URL(path, server.url).href}?${authorized}`)).status).toBe(200);
    }
    for (const file of ["kernel.json", "..%2f..%2fkernel.json", "%2e%2e%2fkernel.json"]) {
      expect((await get(`kernelspecs/python3/${file}?${authorized}`)).status).toBe(404);
    }
  });

  test("starts, describes, interrupts, restarts and ends kernels, and keeps a session for a document", async () => {
    const id = await startKernel();
    const url = `api/kernels/${id}`;
    expect(await (await get(`${url}?${authorized}`)).json()).toMatchObject({
      id,
      execution_state: "idle",
      connections: 0,
    });
    expect((await get(`${url}/interrupt?${authorized}`, { method: "POST" })).status).toBe(204);
    expect((await get(`${url}/restart?${authorized}`, { method: "POST" })).status).toBe(200);
    const body = JSON.stringify({ path: "a.ipynb", name: "a.ipynb", type: "notebook", kernel: { id } });
    const made = await get(`api/sessions?${authorized}`, { method: "POST", body });
    expect(made.status).toBe(201);
    const session = (await made.json()) as { id: string };
    expect(session).toMatchObject({ path: "a.ipynb", kernel: { id } });
    const again = JSON.stringify({ path: "a.ipynb", name: "", type: "notebook", kernel: { name: "nuthatch" } });
    const same = await get(`api/sessions?${authorized}`, { method: "POST", body: again });
    expect(await same.json()).toMatchObject({ id: session.id, kernel: { id } });
    const renamed = await get(`api/sessions/${session.id}?${authorized}`, {
      method: "PATCH",
      body: '{"path":"b.ipynb"}',
    });
    expect(await renamed.json()).toMatchObject({ path: "b.ipynb", kernel: { id } });
    expect((await get(`api/sessions/${session.id}?${authorized}`, { method: "DELETE" })).status).toBe(204);
    expect((await get(`${url}?${authorized}`)).status).toBe(404);
    expect((await get(`${url}?${authorized}`, { method: "DELETE" })).status).toBe(404);
  });

  test("refuses a body that is no JSON or too large", async () => {
    const broken = await get(`api/kernels?${authorized}`, { method: "POST", body: "{" });
    expect(broken.status).toBe(400);
    const large = await get(`api/kernels?${authorized}`, { method: "POST", body: "x".repeat(9 * 1024 * 1024) });
    expect(large.status).toBe(413);
  });

  test("speaks JSON, and v1 only to a client that offers it", async () => {
    const id = await startKernel();
    const plain = await askInfo(id, []);
    expect(plain.protocol).toBe("");
    expect(JSON.parse(plain.reply as string)).toMatchObject({ channel: "shell", msg_type: "kernel_info_reply" });
    const v1 = await askInfo(id, [V1_PROTOCOL]);
    expect(v1.protocol).toBe(V1_PROTOCOL);
    expect(v1.reply).toBeInstanceOf(ArrayBuffer);
    expect(askInfo(crypto.randomUUID(), [])).rejects.toThrow("no connection");
    expect((await get(`api/kernels/${id}/channels?${authorized}`)).status).toBe(426);
  });

  test("is a gateway to another executor, which hears how a kernel died", async () => {
    await using other = liveExecutor("bundled", { remote: await connectGateway({ url: server.url, token: TOKEN }) });
    expect((await other.run(["print('over tcp')"])).text).toBe("over tcp\n");
    const mark = `${live.cwd}/tcp-mark`;
    const code = `import os\nif not os.path.exists("${mark}"):\n    open("${mark}", "w").close()\n    os.kill(os.getpid(), 9)\nprint("survived")`;
    expect((await other.run([code])).text).toMatch(/SIGKILL.*\nsurvived\n/);
  });

  test("on a Unix socket is shared by executors of this user, with their own folder and environment", async () => {
    const unix = serveGateway(live.gateway, { unix: `${live.home}/gateway.sock` });
    await using other = liveExecutor("bundled", { remote: sharedGateway(unix.url) });
    const environment = { ...other.request([]).environment, SHARED_PROBE: "mine" };
    const { text } = await other.run(["import os; print(os.getcwd(), os.environ['SHARED_PROBE'])"], { environment });
    expect(text).toBe(`${other.cwd} mine\n`);
    await other.executor.dispose();
    await unix.stop();
  });

  test.skipIf(!HAS_JUPYTER)(
    "is the kernel gateway of a Jupyter server",
    async () => {
      const options = [
        `--GatewayClient.url=${server.url.slice(0, -1)}`,
        `--GatewayClient.auth_token=${TOKEN}`,
        "--ServerApp.token=own",
      ];
      await using jupyter = await startJupyter("server", options);
      await using other = liveExecutor("bundled", { remote: await connectGateway({ url: jupyter.url, token: "own" }) });
      const { text } = await other.run(["print('through both')\n40 + 2"], {
        settings: { ...other.settings, kernel: "auto" },
      });
      expect(text).toBe("through both\n42\n");
    },
    60_000,
  );
});

/** A WebSocket client that reads only when it is told to. */
async function lazyClient(id: string): Promise<{ socket: Socket; readUntil(text: string): Promise<number> }> {
  const { port, hostname, pathname } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  const key = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("base64");
  const lines = [
    `GET ${pathname}api/kernels/${id}/channels?session_id=lazy&${authorized} HTTP/1.1`,
    `Host: ${hostname}:${port}`,
    ...["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13", `Sec-WebSocket-Key: ${key}`, "", ""],
  ];
  socket.write(lines.join("\r\n"));
  const head = await new Promise((resolve) => socket.once("data", resolve));
  expect(String(head)).toContain("101");
  socket.pause();
  return {
    socket,
    async readUntil(text) {
      let bytes = 0;
      let tail = "";
      for await (const chunk of socket) {
        bytes += chunk.length;
        const seen = tail + chunk.toString("latin1");
        if (seen.includes(text)) return bytes;
        tail = seen.slice(-text.length);
      }
      return bytes;
    },
  };
}

describe("a client that does not read", () => {
  test("holds up nobody, costs bounded memory, and gets every byte when it reads again", async () => {
    await live.run(["1"]);
    const kernels = (await (await get(`api/kernels?${authorized}`)).json()) as { id: string; connections: number }[];
    const id = kernels.find(({ connections }) => connections === 1)?.id as string;
    const lazy = await lazyClient(id);
    const before = process.memoryUsage.rss();
    const { details } = await live.run(["for i in range(400): print('x' * 100_000)\nprint('the ' + 'end')"], {
      timeout: 60,
    });
    expect(details.meta.totalBytes).toBeGreaterThan(40_000_000);
    expect(process.memoryUsage.rss() - before).toBeLessThan(150_000_000);
    expect(await lazy.readUntil("the end")).toBeGreaterThan(40_000_000);
    lazy.socket.destroy();
  });
});
