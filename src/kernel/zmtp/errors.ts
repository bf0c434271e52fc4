import { NuthatchError } from "../../errors.ts";

/** The peer broke ZMTP, or speaks a form of it that we do not; the connection is of no further use. */
export function protocolError(endpoint: string, what: string): NuthatchError {
  return new NuthatchError({ code: "zmtp_protocol", message: `${endpoint}: ${what}`, data: { endpoint } });
}

/** A frame or message is larger than this side accepts. Sizes are bytes. */
export function messageTooLarge(endpoint: string, size: number | bigint, limit: number): NuthatchError {
  return new NuthatchError({
    code: "zmtp_message_too_large",
    message: `${endpoint}: a message of at least ${size} bytes is over the limit of ${limit}`,
    data: { endpoint, limit },
  });
}

/** The peer went away, or the connection could not be made; `cause` is the operating system's error where there is one. */
export function connectionLost(endpoint: string, what: string, cause?: unknown): NuthatchError {
  return new NuthatchError({
    code: "zmtp_connection",
    message: `${endpoint}: ${what}`,
    data: { endpoint },
    ...(cause === undefined ? {} : { cause }),
  });
}
