import { describe, expect, test } from "bun:test";
import { checkAccess } from "../../src/gateway/access.ts";

const RULES = { token: "secret", loopback: true };

function check(headers: Record<string, string>, query = "", rules = RULES, path = "api/kernels") {
  const request = new Request(`http://localhost:8888/${path}${query}`, {
    headers: { host: "localhost:8888", ...headers },
  });
  return checkAccess(request, path, rules)?.status ?? 200;
}

describe("access to a gateway that listens", () => {
  test("needs the token, by header in both spellings or by query, percent-encoded", () => {
    expect(check({ authorization: "token secret" })).toBe(200);
    expect(check({ authorization: "Bearer secret" })).toBe(200);
    expect(check({}, "?token=secret")).toBe(200);
    expect(check({}, "?token=tok%2B%2F%3D%C3%A9", { ...RULES, token: "tok+/=é" })).toBe(200);
    expect(check({})).toBe(403);
    expect(check({ authorization: "token secre" })).toBe(403);
    expect(check({ authorization: "token secret2" })).toBe(403);
    expect(check({ authorization: "Basic secret" })).toBe(403);
    expect(check({}, "?token=")).toBe(403);
  });

  test("is open without a token only where the token is empty, and for /api", () => {
    expect(check({}, "", { ...RULES, token: "" })).toBe(200);
    expect(check({}, "", RULES, "api")).toBe(200);
  });

  test("is refused to a host name that was made to look local, whatever the token", () => {
    const authorization = "token secret";
    for (const host of ["evil.example", "evil.example:8888", "localhost.evil.example", "127.0.0.1.evil.example"]) {
      expect(check({ authorization, host })).toBe(403);
    }
    for (const host of ["localhost", "127.0.0.1:1", "127.1.2.3", "[::1]:8888"]) {
      expect(check({ authorization, host })).toBe(200);
    }
    expect(check({ authorization, host: "box.example" }, "", { ...RULES, loopback: false })).toBe(200);
  });

  test("is refused to pages of other sites, whatever the token", () => {
    const authorization = "token secret";
    expect(check({ authorization, origin: "http://localhost:8888" })).toBe(200);
    for (const origin of ["http://evil.example", "http://localhost:9999", "null", "not a url"]) {
      expect(check({ authorization, origin })).toBe(403);
    }
  });
});
