import { protocolError } from "./errors.ts";

/** The bytes of a greeting (RFC 37, "The Greeting"): signature 10, version 2, mechanism 20, as-server 1, filler 31. */
export const GREETING_BYTES = 64;

const MECHANISM_AT = 12;
const MECHANISM_BYTES = 20;
const MECHANISM = "NULL";

/** Our greeting: ZMTP 3.`minor`, mechanism NULL. */
export function encodeGreeting(minor: number): Uint8Array {
  const greeting = new Uint8Array(GREETING_BYTES);
  greeting.set([0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f, 3, minor]);
  greeting.set(new TextEncoder().encode(MECHANISM), MECHANISM_AT);
  return greeting;
}

/** Reads the peer's greeting and gives its minor version. Throws `zmtp_protocol` for older peers and other mechanisms. */
export function readGreeting(endpoint: string, greeting: Uint8Array): number {
  if (greeting[0] !== 0xff || greeting[9] !== 0x7f) throw protocolError(endpoint, "the peer does not speak ZMTP");
  const [major, minor] = [greeting[10]!, greeting[11]!];
  if (major < 3) throw protocolError(endpoint, `the peer speaks ZMTP ${major}.${minor}, 3.0 or newer is needed`);
  const mechanism = new TextDecoder()
    .decode(greeting.subarray(MECHANISM_AT, MECHANISM_AT + MECHANISM_BYTES))
    .replace(/\0+$/, "");
  if (mechanism !== MECHANISM)
    throw protocolError(endpoint, `the peer asks for the security mechanism ${mechanism}, only ${MECHANISM} is spoken`);
  return minor;
}
