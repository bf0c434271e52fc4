import { errorCode, errorMessage } from "../errors.ts";
import { gatewayPathWrong, gatewayUnauthorized, gatewayUnreachable, invalidGatewayUrl, notAGateway } from "./errors.ts";
import type { GatewaySettings } from "./gateway-settings.ts";

/** A gateway of somebody else: any Jupyter server, Kernel Gateway, Enterprise Gateway or Hub. */
export interface RemoteGateway {
  /** With any base path; a `?token=` in it stands in for `token`. The address of a page, as Jupyter prints it, does too. */
  url: string;
  token?: string | undefined;
}

/** What stands after the base path in the address of JupyterLab or of a notebook's page. */
const PAGE = /(?<=\/)(?:lab|tree)\/(?:.*\/)?$/;
/** Milliseconds that the first answer may take. */
const CHECK_LIMIT_MS = 10_000;

/**
 * Checks that a Jupyter gateway answers at the URL and takes the token, and gives the settings to use it with. Throws
 * `gateway_unreachable`, `gateway_unauthorized`, `gateway_path_wrong`, `gateway_invalid` or `invalid_settings`.
 */
export async function connectGateway(gateway: RemoteGateway, signal?: AbortSignal): Promise<GatewaySettings> {
  const url = parseUrl(gateway.url);
  const token = gateway.token ?? url.searchParams.get("token") ?? "";
  url.search = "";
  url.hash = "";
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  const limit = AbortSignal.timeout(CHECK_LIMIT_MS);
  const check = signal === undefined ? limit : AbortSignal.any([signal, limit]);
  const baseUrl = await findBase(url.href, authenticate(token, undefined), check);
  // A server without a token guards its POST requests by a cookie that has to come back in a header (tornado, "XSRF").
  const xsrf = token === "" ? await readXsrfCookie(baseUrl, check) : undefined;
  return {
    baseUrl,
    wsUrl: baseUrl.replace(/^http/, "ws"),
    fetch: authenticate(token, xsrf),
    WebSocket: socketClass(token),
    local: false,
  };
}

function parseUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) throw invalidGatewayUrl(text);
  return url;
}

/**
 * A `fetch` that carries the token: in the header where it may stand there, else percent-encoded in the query, because a
 * header that is not ASCII is refused or read wrongly.
 */
function authenticate(token: string, xsrf: string | undefined): GatewaySettings["fetch"] {
  const isPlain = /^[\x21-\x7e]*$/.test(token);
  return (input, init) => {
    const request = new Request(input, init);
    if (xsrf !== undefined) {
      request.headers.set("X-XSRFToken", xsrf);
      request.headers.set("Cookie", `_xsrf=${xsrf}`);
    }
    if (token === "") return fetch(request);
    if (!isPlain) return fetch(new Request(withToken(request.url, token), request));
    request.headers.set("Authorization", `token ${token}`);
    return fetch(request);
  };
}

function withToken(url: string, token: string): string {
  const target = new URL(url);
  target.searchParams.set("token", token);
  return target.href;
}

/** The URL itself where it is a gateway's, for a base path may be called `lab`; else the one that its page belongs to. */
async function findBase(url: string, request: GatewaySettings["fetch"], signal: AbortSignal): Promise<string> {
  try {
    await checkGateway(url, request, signal);
    return url;
  } catch (error) {
    const base = url.replace(PAGE, "");
    const isElsewhere = ["gateway_path_wrong", "gateway_invalid"].includes(errorCode(error) ?? "");
    if (base === url || !isElsewhere) throw error;
    await checkGateway(base, request, signal);
    return base;
  }
}

async function checkGateway(baseUrl: string, request: GatewaySettings["fetch"], signal: AbortSignal): Promise<void> {
  let response: Response;
  try {
    response = await request(`${baseUrl}api/kernelspecs`, { signal });
  } catch (error) {
    throw gatewayUnreachable(baseUrl, error);
  }
  const { status } = response;
  if (status === 401 || status === 403) throw gatewayUnauthorized(baseUrl, `HTTP ${status}`);
  if (response.redirected && /\/login\b/.test(response.url)) {
    throw gatewayUnauthorized(baseUrl, "it sent its login page");
  }
  if (status === 404) throw gatewayPathWrong(baseUrl);
  // A Hub answers 424 for the server of a user that is not started.
  if (status >= 500 || status === 424) throw gatewayUnreachable(baseUrl, `HTTP ${status} for api/kernelspecs`);
  if (status !== 200) throw notAGateway(baseUrl, `HTTP ${status} for api/kernelspecs`);
  const answer = (await response.json().catch((error) => errorMessage(error))) as { kernelspecs?: unknown };
  if (typeof answer?.kernelspecs !== "object") throw notAGateway(baseUrl, "api/kernelspecs lists no kernelspecs");
}

async function readXsrfCookie(baseUrl: string, signal: AbortSignal): Promise<string | undefined> {
  for (const path of ["", "login", "lab"]) {
    const response = await fetch(baseUrl + path, { signal, redirect: "manual" }).catch(() => undefined);
    const cookies = response?.headers.getSetCookie() ?? [];
    const value = cookies.map((cookie) => /^_xsrf=([^;]+)/.exec(cookie)?.[1]).find((found) => found !== undefined);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** The class that services opens a kernel's channels with; the token goes into its query, percent-encoded. */
function socketClass(token: string): new (url: string, protocols?: string[]) => WebSocket {
  return class extends WebSocket {
    constructor(url: string, protocols?: string[]) {
      super(token === "" ? url : withToken(url, token), protocols);
    }
  };
}
