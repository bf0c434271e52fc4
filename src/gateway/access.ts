import { timingSafeEqual } from "node:crypto";

/** Who may use a gateway that listens. An empty token lets everybody in who can reach it. */
export interface AccessRules {
  token: string;
  /** It listens on loopback only, so a request for another host name comes from a page that was made to look local. */
  loopback: boolean;
}

/** Why a request is refused, or undefined when it may go on. */
export interface Refusal {
  status: number;
  message: string;
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i;

/**
 * Checks a request: `Host` against DNS rebinding, `Origin` against other sites' pages (a WebSocket is not kept from them by
 * the browser), then the token, compared in constant time. `/api` alone needs none, as in Jupyter's own servers.
 */
export function checkAccess(request: Request, path: string, rules: AccessRules): Refusal | undefined {
  const host = request.headers.get("host") ?? "";
  if (rules.loopback && !LOOPBACK.test(host.replace(/:\d+$/, ""))) {
    return { status: 403, message: `This server does not answer to the host name ${JSON.stringify(host)}` };
  }
  const origin = request.headers.get("origin");
  if (origin !== null && URL.parse(origin)?.host !== host) {
    return { status: 403, message: `Requests from ${JSON.stringify(origin)} are not allowed` };
  }
  if (rules.token === "" || path === "api" || sameText(givenToken(request), rules.token)) return undefined;
  return { status: 403, message: "The token is missing or wrong" };
}

/** From the `Authorization` header (`token` or `Bearer`) or the query. */
function givenToken(request: Request): string {
  const [, header] = /^(?:token|bearer)\s+(.+)$/i.exec(request.headers.get("authorization") ?? "") ?? [];
  return header ?? new URL(request.url).searchParams.get("token") ?? "";
}

/** Hashes have one length, so the comparison tells nothing of the token's either. */
function sameText(left: string, right: string): boolean {
  const hash = (text: string) => new Bun.CryptoHasher("sha256").update(text).digest();
  return timingSafeEqual(hash(left), hash(right));
}
