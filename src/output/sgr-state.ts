/** The attribute that a parameter sets, named by the parameter that ends it (ECMA-48 8.3.117); undefined ends all of them. */
function closingOf(code: number): number | undefined {
  if (code === 1 || code === 2) return 22;
  if (code === 3) return 23;
  if (code === 4 || code === 21) return 24;
  if (code === 5 || code === 6) return 25;
  if (code === 7) return 27;
  if (code === 9) return 29;
  if ((code >= 30 && code <= 38) || (code >= 90 && code <= 97)) return 39;
  if ((code >= 40 && code <= 48) || (code >= 100 && code <= 107)) return 49;
  if (code === 53) return 55;
  return code === 58 ? 59 : undefined;
}

const CLOSERS = new Set([22, 23, 24, 25, 27, 29, 39, 49, 55, 59]);

/** The colours and attributes in force at one point of a text. Follows SGR sequences; concealing (8) is never taken over. */
export class SgrState {
  readonly #open = new Map<number, string>();

  /** Reads the parameters between `ESC [` and `m`. */
  apply(parameters: string): void {
    const fields = parameters.split(";");
    for (let index = 0; index < fields.length; index++) {
      const field = fields[index] as string;
      const code = field === "" ? 0 : Number.parseInt(field, 10);
      const extended = (code === 38 || code === 48 || code === 58) && !field.includes(":");
      const length = extended ? (fields[index + 1] === "2" ? 5 : fields[index + 1] === "5" ? 3 : fields.length) : 1;
      this.#set(code, fields.slice(index, index + length).join(";"));
      index += length - 1;
    }
  }

  #set(code: number, parameter: string): void {
    const closing = closingOf(code);
    if (code === 0) this.#open.clear();
    else if (CLOSERS.has(code)) this.#open.delete(code);
    else if (closing !== undefined) this.#open.set(closing, parameter);
  }

  /** The sequence that brings this state about on a terminal that has none; empty where nothing is set. */
  get opening(): string {
    return this.#open.size === 0 ? "" : `\x1b[${[...this.#open.values()].join(";")}m`;
  }
}
