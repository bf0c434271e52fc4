import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { errorCode } from "../../src/errors.ts";
import { connectGateway } from "../../src/execute/remote-gateway.ts";
import { cuttingProxy } from "./cutting-proxy.ts";
import { freePort, HAS_ENTERPRISE, HAS_JUPYTER, type JupyterServer, startJupyter } from "./jupyter-server.ts";
import { liveExecutor } from "./live-executor.ts";
import { showing, waitFor } from "./showing.ts";

const TOKEN = "tok+/=é";

async function refusal(url: string, token?: string) {
  return await connectGateway({ url, token }).then(
    () => undefined,
    (error) => ({ code: errorCode(error), message: error.message as string, hint: error.hint as string }),
  );
}

/** A cell that kills its kernel the first time, and prints `survived` the second. */
const dyingOnce = (mark: string) =>
  `import os\nif not os.path.exists("${mark}"):\n    open("${mark}", "w").close()\n    os.kill(os.getpid(), 9)\nprint("survived")`;

/** Runs one cell that prints on a gateway elsewhere. */
async function greet(url: string, token?: string) {
  await using live = liveExecutor("auto", { remote: await connectGateway({ url, token }) });
  return (await live.run(["print('hello')"])).text;
}

describe.skipIf(!HAS_JUPYTER)("a Jupyter server as the gateway", () => {
  let server: JupyterServer;
  beforeAll(async () => {
    server = await startJupyter(
      "server",
      [`--ServerApp.token=${TOKEN}`, "--ServerApp.base_url=/user/me/"],
      "/user/me/",
    );
  }, 60_000);
  afterAll(() => server[Symbol.asyncDispose](), 60_000);

  test("takes an odd token below a base path, with and without the last slash", async () => {
    expect(await greet(server.url, TOKEN)).toBe("hello\n");
    await connectGateway({ url: server.url.slice(0, -1), token: TOKEN });
    await connectGateway({ url: `${server.url}?token=${encodeURIComponent(TOKEN)}` });
    for (const page of ["lab", "tree", "lab/tree/work.ipynb"]) {
      expect((await connectGateway({ url: server.url + page, token: TOKEN })).baseUrl).toBe(server.url);
    }
  });

  test("refuses a wrong token, and the error says which setting to fix without showing it", async () => {
    const wrong = await refusal(server.url, "wrong-token");
    expect(wrong?.code).toBe("gateway_unauthorized");
    expect(wrong?.message).toContain("HTTP 403");
    expect(wrong?.hint).toContain("gatewayToken");
    expect(JSON.stringify(wrong)).not.toContain("wrong-token");
  });

  test("is not found at a wrong path", async () => {
    const wrong = await refusal(new URL("/elsewhere/", server.url).href, TOKEN);
    expect(wrong).toMatchObject({ code: "gateway_path_wrong", hint: expect.stringContaining("base path") });
  });

  test("tells of a kernel that died in a cell, which then runs once more", async () => {
    await using live = liveExecutor("auto", { remote: await connectGateway({ url: server.url, token: TOKEN }) });
    const { text, details } = await live.run([dyingOnce(`${live.cwd}/mark`)]);
    expect(text).toMatch(/The Python kernel died: its server found it dead and restarted it.*\nsurvived\n/);
    expect(details.cells[0]).toMatchObject({ status: "complete", restarted: true });
  });

  test("that drops output by its rate limit makes the output incomplete, and the result says how to raise it", async () => {
    await using live = liveExecutor("auto", { remote: await connectGateway({ url: server.url, token: TOKEN }) });
    const { text } = await live.run(["for i in range(60): print('x' * 100_000, flush=True)"]);
    expect(text).toContain("The output is incomplete");
    expect(text).toContain("iopub_data_rate_limit");
  });

  test("keeps the result of a cell across a dropped connection", async () => {
    await using proxy = cuttingProxy(server.url);
    await using live = liveExecutor("auto", { remote: await connectGateway({ url: proxy.url, token: TOKEN }) });
    const begun = showing("begun");
    const gate = `${live.cwd}/gate`;
    const running = live.run([`${waitFor(gate)}\nprint("done")`], {}, begun);
    await begun.shown;
    proxy.cut();
    await Bun.write(gate, "");
    expect((await running).text).toBe("begun\ndone\n");
    expect((await live.run(["print('on')"])).text).toBe("on\n");
  });

  test("that is gone for good while a cell runs does not hold the call beyond its timeout", async () => {
    await using proxy = cuttingProxy(server.url);
    await using live = liveExecutor("auto", { remote: await connectGateway({ url: proxy.url, token: TOKEN }) });
    const begun = showing("begun");
    const running = live.run([waitFor(`${live.cwd}/never`)], { timeout: 1 }, begun);
    await begun.shown;
    proxy.close();
    const { isError, text } = await running;
    expect(isError).toBe(true);
    expect(text).toContain("Command timed out after 1 seconds");
  });

  test("gets nothing of the caller's environment but what is meant for it", async () => {
    await using live = liveExecutor("auto", { remote: await connectGateway({ url: server.url, token: TOKEN }) });
    const environment = { ...live.request([]).environment, PRIVATE_PROBE: "leaked" };
    const { text } = await live.run(["import os; print('PRIVATE_PROBE' in os.environ)"], { environment });
    expect(text).toBe("False\n");
  });
});

describe.skipIf(!HAS_JUPYTER)("other gateways", () => {
  test("a Jupyter server with an empty token works by its _xsrf cookie", async () => {
    await using server = await startJupyter("server", ["--ServerApp.token=", "--ServerApp.password="]);
    expect(await greet(server.url)).toBe("hello\n");
  });

  test("a Kernel Gateway works by URL and token", async () => {
    await using server = await startJupyter("kernelgateway", ["--KernelGatewayApp.auth_token=secret"]);
    expect(await refusal(server.url, "other")).toMatchObject({ code: "gateway_unauthorized" });
    expect(await greet(server.url, "secret")).toBe("hello\n");
  });
});

describe.skipIf(!HAS_ENTERPRISE)("an Enterprise Gateway as the gateway", () => {
  const start = async (env: Record<string, string>) =>
    await startJupyter("enterprisegateway", ["--EnterpriseGatewayApp.auth_token=secret"], "/", env);

  test("starts, runs, interrupts, restarts and ends a kernel", async () => {
    await using server = await start({ EG_UNAUTHORIZED_USERS: "nobody", EG_LIST_KERNELS: "True" });
    expect(await refusal(server.url, "other")).toMatchObject({ code: "gateway_unauthorized" });
    const remote = await connectGateway({ url: server.url, token: "secret" });
    const kernels = async () => await (await remote.fetch(`${remote.baseUrl}api/kernels`)).json();
    await using live = liveExecutor("auto", { remote });
    expect((await live.run(["import os; kept = os.getpid(); print('hello')"])).text).toBe("hello\n");
    expect(await kernels()).toHaveLength(1);
    const stopped = await live.run(["while True: pass"], { timeout: 1 });
    expect(stopped.details).toMatchObject({ timedOut: true, error: { name: "KeyboardInterrupt" } });
    expect((await live.run(["print(kept == os.getpid())"])).text).toBe("True\n");
    expect((await live.run(["print('kept' in globals())"], { reset: true })).text).toBe("False\n");
    await live.executor.dispose();
    expect(await kernels()).toEqual([]);
  });

  test("keeps the result of a cell across a dropped connection, and tells of a kernel that died in one", async () => {
    await using server = await start({ EG_UNAUTHORIZED_USERS: "nobody" });
    await using proxy = cuttingProxy(server.url);
    await using live = liveExecutor("auto", { remote: await connectGateway({ url: proxy.url, token: "secret" }) });
    const begun = showing("begun");
    const gate = `${live.cwd}/gate`;
    const running = live.run([`${waitFor(gate)}\nprint("done")`], {}, begun);
    await begun.shown;
    proxy.cut();
    await Bun.write(gate, "");
    expect((await running).text).toBe("begun\ndone\n");
    const { text } = await live.run([dyingOnce(`${live.cwd}/mark`)]);
    expect(text).toMatch(/The Python kernel died: its server found it dead and restarted it.*\nsurvived\n/);
  });

  test("that forbids this user a kernel says why, and takes KERNEL_USERNAME from the caller's environment", async () => {
    await using server = await start({ EG_AUTHORIZED_USERS: "wren" });
    await using live = liveExecutor("auto", { remote: await connectGateway({ url: server.url, token: "secret" }) });
    const as = (name: string) => ({ environment: { ...live.request([]).environment, KERNEL_USERNAME: name } });
    await expect(live.run(["1"], as("robin"))).rejects.toMatchObject({
      code: "gateway_unauthorized",
      message: expect.stringMatching(/HTTP 403.*robin.*authorized/),
      hint: expect.stringContaining("gatewayToken"),
    });
    expect((await live.run(["print('in')"], as("wren"))).text).toBe("in\n");
  });
});

describe("what is no gateway", () => {
  test("a port where nobody listens is unreachable", async () => {
    expect(await refusal(`http://127.0.0.1:${freePort()}/`)).toMatchObject({ code: "gateway_unreachable" });
  });

  test("a web server of another kind is not a Jupyter server", async () => {
    await using page = {
      server: Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("<html>") }),
      [Symbol.asyncDispose]: () => page.server.stop(true),
    };
    expect(await refusal(page.server.url.href)).toMatchObject({ code: "gateway_invalid" });
  });

  test("a proxy whose server is down is unreachable, and no password of the URL is shown", async () => {
    await using proxy = {
      server: Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("down", { status: 502 }) }),
      [Symbol.asyncDispose]: () => proxy.server.stop(true),
    };
    const down = await refusal(proxy.server.url.href.replace("//", "//me:pass-word@"));
    expect(down).toMatchObject({ code: "gateway_unreachable", message: expect.stringContaining("HTTP 502") });
    expect(JSON.stringify(down)).not.toContain("pass-word");
  });

  test("a word that is no URL names the setting", async () => {
    expect(await refusal("elsewhere")).toMatchObject({
      code: "invalid_settings",
      message: expect.stringContaining("gateway"),
    });
  });
});
