/** A key that was pressed, or text that was typed or pasted. */
export type Key = { name: KeyName } | { name: "text"; text: string };

type KeyName =
  | "enter"
  | "newline"
  | "tab"
  | "inspect"
  | "backspace"
  | "delete"
  | "left"
  | "right"
  | "up"
  | "down"
  | "home"
  | "end"
  | "word-left"
  | "word-right"
  | "kill-line"
  | "kill-to-start"
  | "kill-word"
  | "interrupt"
  | "leave"
  | "clear";

/** Control characters, and what a terminal sends for keys (xterm, "PC-Style Function Keys"). */
const CONTROLS: Record<string, KeyName> = {
  "\r": "enter",
  "\n": "newline",
  "\t": "tab",
  "\x7f": "backspace",
  "\b": "backspace",
  "\x01": "home",
  "\x05": "end",
  "\x02": "left",
  "\x06": "right",
  "\x10": "up",
  "\x0e": "down",
  "\x03": "interrupt",
  "\x04": "leave",
  "\x0b": "kill-line",
  "\x15": "kill-to-start",
  "\x17": "kill-word",
  "\x0c": "clear",
};
const SEQUENCES: Record<string, KeyName> = {
  "\x1b[A": "up",
  "\x1b[B": "down",
  "\x1b[C": "right",
  "\x1b[D": "left",
  "\x1bOA": "up",
  "\x1bOB": "down",
  "\x1bOC": "right",
  "\x1bOD": "left",
  "\x1b[H": "home",
  "\x1b[F": "end",
  "\x1bOH": "home",
  "\x1bOF": "end",
  "\x1b[1~": "home",
  "\x1b[4~": "end",
  "\x1b[3~": "delete",
  "\x1b[1;5D": "word-left",
  "\x1b[1;5C": "word-right",
  "\x1bb": "word-left",
  "\x1bf": "word-right",
  "\x1b\r": "newline",
  "\x1b\x7f": "kill-word",
  "\x1b[Z": "inspect",
};
const PASTE_START = "\x1b[200~";
const PASTE_END = "\x1b[201~";
const SEQUENCE = /^\x1b(?:\[[\d;?]*[ -/]*[@-~]|O[ -~]|[^[O])/;
const CONTROL = /[\x00-\x1f\x7f]/;

/** Reads keys out of what a terminal sends, however it is cut. What is pasted is text whatever it holds. */
export class KeyReader {
  readonly #decoder = new TextDecoder();
  #rest = "";

  read(chunk: Uint8Array): Key[] {
    this.#rest += this.#decoder.decode(chunk, { stream: true });
    const keys: Key[] = [];
    for (let key = this.#next(); key !== undefined; key = this.#next()) if (key !== "unknown") keys.push(key);
    return keys;
  }

  #next(): Key | "unknown" | undefined {
    const rest = this.#rest;
    if (rest === "") return undefined;
    if (rest.startsWith(PASTE_START)) return this.#readPaste();
    if (rest.startsWith("\x1b")) return this.#readSequence();
    const control = CONTROLS[rest.charAt(0)];
    if (control !== undefined) return this.#take(1, { name: control });
    const end = rest.search(CONTROL);
    if (end === 0) return this.#take(1, "unknown");
    const text = end < 0 ? rest : rest.slice(0, end);
    return this.#take(text.length, { name: "text", text });
  }

  #readPaste(): Key | undefined {
    const end = this.#rest.indexOf(PASTE_END);
    if (end < 0) return undefined;
    const text = this.#rest.slice(PASTE_START.length, end).replace(/\r\n?/g, "\n");
    return this.#take(end + PASTE_END.length, { name: "text", text });
  }

  #readSequence(): Key | "unknown" | undefined {
    const found = SEQUENCE.exec(this.#rest)?.[0];
    if (found === undefined) return undefined;
    const name = SEQUENCES[found];
    return this.#take(found.length, name === undefined ? "unknown" : { name });
  }

  #take<Taken>(length: number, key: Taken): Taken {
    this.#rest = this.#rest.slice(length);
    return key;
  }
}
