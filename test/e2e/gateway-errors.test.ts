// The setting `gateway` on the compiled binary: what works by URL, and the one error for each way that it does not.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { freePort } from "../execute/jupyter-server.ts";
import { BINARY, callTool, runNuthatch, temporaryFolder } from "../nuthatch.ts";

const TOKEN = "gate-token";
const home = temporaryFolder();
const serverHome = temporaryFolder();
const NUTHATCH_HOME = serverHome.path;
let server: Bun.Subprocess;
let url: string;
let other: Bun.Server<undefined>;

beforeAll(async () => {
  const command = [BINARY, "serve", "--port", "0", "--token", TOKEN, "--json"];
  const env = { ...process.env, NUTHATCH_HOME, NUTHATCH_KERNEL: "bundled" };
  const child = Bun.spawn(command, { cwd: NUTHATCH_HOME, env, stdout: "pipe", stderr: "ignore" });
  server = child;
  const { value } = await child.stdout.getReader().read();
  url = (JSON.parse(Buffer.from(value as Uint8Array).toString()) as { url: string }).url;
  other = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: answerAsOther });
});

afterAll(async () => {
  server.kill("SIGINT");
  await server.exited;
  await other.stop(true);
  home[Symbol.dispose]();
  serverHome[Symbol.dispose]();
});

/** Servers that are no gateway, each at a path of its own. */
function answerAsOther({ url }: Request): Response {
  const { pathname } = new URL(url);
  if (pathname.startsWith("/locked/")) return new Response("Unauthorized", { status: 401 });
  if (pathname.startsWith("/down/")) return new Response("Bad Gateway", { status: 502 });
  if (pathname.startsWith("/hub/login")) return new Response("<html>log in");
  if (pathname.startsWith("/hub/")) return Response.redirect("/hub/login?next=", 302);
  return new Response("<html>welcome");
}

/** The error of a call of the python tool on this gateway. */
async function failure(gateway: string, token = TOKEN) {
  const env = { NUTHATCH_GATEWAY: gateway, NUTHATCH_GATEWAY_TOKEN: token };
  const options = { home: home.path, env };
  const { exitCode, result, text, stdout } = await callTool("python", { cells: "1" }, options, ["--in-process"]);
  expect([exitCode, result.isError]).toEqual([1, true]);
  if (token !== "") expect(stdout).not.toContain(token);
  return { code: result.details.code, text };
}

test("a URL with its token runs cells there", async () => {
  const words = ["python", "-c", "print(6 * 7)", "--in-process", "--gateway", url, "--gateway-token", TOKEN];
  expect(await runNuthatch(words, { home: home.path })).toEqual({ exitCode: 0, stdout: "42\n", stderr: "" });
});

test("the address of a page of it works as the URL of the server", async () => {
  const words = [
    "python",
    "-c",
    "print(6 * 7)",
    "--in-process",
    "--gateway",
    `${url}lab/tree/work.ipynb?token=${TOKEN}`,
  ];
  expect(await runNuthatch(words, { home: home.path })).toEqual({ exitCode: 0, stdout: "42\n", stderr: "" });
});

test.each([
  ["a wrong token", () => url, "not-the-token", "HTTP 403"],
  ["no token", () => url, "", "HTTP 403"],
  ["a token that a server answers with 401", () => `${other.url}locked/`, TOKEN, "HTTP 401"],
  ["a server that sends its login page", () => `${other.url}hub/`, TOKEN, "login page"],
])("%s names the setting to fix", async (_name, gateway, token, how) => {
  const { code, text } = await failure(gateway(), token);
  expect(code).toBe("gateway_unauthorized");
  expect(text).toBe(
    `Error: The gateway ${gateway()} refused access (${how === "login page" ? "it sent its login page" : how})\n` +
      "Hint: set `gatewayToken` (--gateway-token, NUTHATCH_GATEWAY_TOKEN) to the server's token",
  );
});

test.each([
  ["nobody who listens", () => `http://127.0.0.1:${freePort()}/`, "gateway_unreachable", "Cannot reach the gateway"],
  ["a host without a name", () => "http://nowhere.invalid:8888/", "gateway_unreachable", "Cannot reach the gateway"],
  ["https where http is spoken", () => url.replace("http", "https"), "gateway_unreachable", "TLS"],
  ["a proxy whose server is down", () => `${other.url}down/`, "gateway_unreachable", "HTTP 502"],
  ["a wrong path", () => `${url}elsewhere/`, "gateway_path_wrong", "base path"],
  ["a web server of another kind", () => `${other.url}`, "gateway_invalid", "is not a Jupyter server"],
  ["no URL", () => `localhost:8888/?token=${TOKEN}`, "invalid_settings", "The setting gateway must be"],
])("%s is one clear error of its own", async (_name, gateway, code, part) => {
  const failed = await failure(gateway());
  expect(failed.code).toBe(code);
  expect(failed.text).toStartWith("Error: ");
  expect(failed.text).toContain(part);
  expect(failed.text.match(/^Hint: .*gateway/gm)).toHaveLength(1);
});

test("the command for people prints the error and its hint, and nothing on standard output", async () => {
  const gateway = `http://127.0.0.1:${freePort()}/`;
  const finished = await runNuthatch(["python", "-c", "1", "--in-process", "--gateway", gateway], { home: home.path });
  expect([finished.exitCode, finished.stdout]).toEqual([1, ""]);
  expect(finished.stderr.trimEnd().split("\n")).toEqual([
    expect.stringMatching(/^nuthatch: error: Cannot reach the gateway http:\/\/127\.0\.0\.1:\d+\/: ECONNREFUSED/),
    "nuthatch: hint: check that the server runs and that the setting `gateway` names it",
  ]);
});
