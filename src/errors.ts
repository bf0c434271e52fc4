/** What a {@link NuthatchError} is made of. `message` says what failed and the value; `hint` is the next command or call. */
export interface ErrorFields {
  code: string;
  message: string;
  hint?: string;
  data?: Record<string, unknown>;
  cause?: unknown;
}

/** The one error class. It is made by small factories in each folder and recognised by `code`, never by its class or text. */
export class NuthatchError extends Error {
  readonly code: string;
  readonly hint?: string;
  readonly data?: Record<string, unknown>;

  constructor(fields: ErrorFields) {
    super(fields.message, fields.cause === undefined ? undefined : { cause: fields.cause });
    this.name = "NuthatchError";
    this.code = fields.code;
    if (fields.hint !== undefined) this.hint = fields.hint;
    if (fields.data !== undefined) this.data = fields.data;
  }
}

/** The `code` of an error of ours or of the operating system (`ENOENT`), or undefined for anything else. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** The text of anything that was thrown. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What `write` writes at a path, or `write_failed`, which says why the system does not let it. */
export function orCannotWrite<Written>(path: string, hint: string, write: () => Written): Written {
  try {
    return write();
  } catch (cause) {
    if (!(cause instanceof Error && "syscall" in cause)) throw cause;
    throw new NuthatchError({
      code: "write_failed",
      message: `cannot write ${path}: ${errorMessage(cause)}`,
      hint,
      data: { path },
      cause,
    });
  }
}

/** An input that a tool or a command cannot accept; `parameter` names the one that is wrong. */
export function invalidInput(message: string, parameter?: string, hint?: string): NuthatchError {
  return new NuthatchError({
    code: "invalid_input",
    message,
    ...(hint === undefined ? {} : { hint }),
    ...(parameter === undefined ? {} : { data: { parameter } }),
  });
}
