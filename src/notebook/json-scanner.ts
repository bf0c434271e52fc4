/** Where JSON stopped being JSON; `offset` is in bytes. */
export class JsonSyntaxError extends Error {
  constructor(
    message: string,
    readonly offset: number,
  ) {
    super(message);
  }
}

const TAB = 0x09;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** What may come next, in an order that one comparison tells what a string would be. */
const KEY = 0;
const KEY_OR_END = 1;
const VALUE_OR_END = 2;
const VALUE = 3;
const COLON_ONLY = 4;
const COMMA_OR_END = 5;
const EXPECTATIONS = ["a key in double quotes", 'a key in double quotes or "}"', "a value", "a value", '":"'];

/** The length of the escapes of one letter: `"`, `\`, `/`, b, f, n, r, t. */
const ESCAPE_LENGTHS = new Uint8Array(256);
for (const letter of [0x22, 0x5c, 0x2f, 0x62, 0x66, 0x6e, 0x72, 0x74]) ESCAPE_LENGTHS[letter] = 2;

/** The words JSON has, and the three numbers that Python's `json` writes beside it. */
const WORDS = ["true", "false", "null", "NaN", "Infinity", "-Infinity"];

/** Containers one inside the other: a cell, its `outputs`, an output, its `data`, the lines of a MIME type. */
const SHALLOW_DEPTH = 5;

/** A container of {@link knownText} that is no deeper. With deeper patterns the engine falls back to a slow matcher earlier. */
const SHALLOW = shallowPattern();

/** The Latin-1 text of bytes that are known to be JSON, without escapes, so that a quote always is a string's. */
export function knownText(bytes: Buffer): string {
  return bytes.toString("latin1").replace(/\\./g, "__");
}

/**
 * Walks JSON (RFC 8259, and the `NaN`, `Infinity`, `-Infinity` that Python writes) over bytes that are known to be UTF-8,
 * validating as it goes, without recursion and without making a string of the input. Strings are jumped; that none of them
 * holds a control character is known by `controls` alone, unless the scanner is `careful`. Throws {@link JsonSyntaxError}.
 * Given the {@link knownText} of the bytes, it only finds where values end.
 */
export class JsonScanner {
  /** The deepest nesting seen. */
  deepest = 0;
  /** How many control characters there were between tokens. */
  controls = 0;
  keyStart = 0;
  keyEnd = 0;
  private depth = 0;
  private closers = new Uint8Array(64);
  /** The bracket that closes the innermost container. */
  private closer = 0;
  private nextBackslash = -1;

  constructor(
    readonly bytes: Buffer,
    public position = 0,
    private readonly careful = false,
    private readonly known?: string,
  ) {}

  /** Moves over white space and returns the byte there, or -1 at the end. */
  peek(): number {
    const { bytes } = this;
    let at = this.position;
    for (; ; at++) {
      const byte = bytes[at];
      if (byte === LINE_FEED || byte === RETURN || byte === TAB) this.controls++;
      else if (byte !== SPACE) break;
    }
    this.position = at;
    return bytes[at] ?? -1;
  }

  /** Takes the opening bracket of a container, whose elements are then asked for with {@link next}. */
  open(): void {
    const bracket = this.peek();
    if (bracket !== OPEN_OBJECT && bracket !== OPEN_ARRAY) this.fail(this.position, '"{" or "["');
    this.position++;
    this.enter(bracket + 2);
  }

  /** True when an element follows (after its comma unless it is the `first`); false when the closing bracket was taken. */
  next(first: boolean): boolean {
    const byte = this.peek();
    if (byte === this.closer) {
      this.position++;
      this.leave();
      return false;
    }
    if (first) return true;
    if (byte !== COMMA) this.failExpecting(this.position, COMMA_OR_END);
    this.position++;
    return true;
  }

  /** Takes a member's key, which then lies from `keyStart` to `keyEnd` (quotes included), and its colon; the value is next. */
  key(): void {
    if (this.peek() !== QUOTE) this.failExpecting(this.position, KEY);
    this.keyStart = this.position;
    this.skipValue();
    this.keyEnd = this.position;
    if (this.peek() !== COLON) this.failExpecting(this.position, COLON_ONLY);
    this.position++;
    this.peek();
  }

  /**
   * Takes one value of any kind and depth. It is one loop, nearly without calls, because a process that has just started runs
   * it before any of it is compiled.
   */
  skipValue(): void {
    const { bytes } = this;
    const base = this.depth;
    let at = this.position;
    let expected = VALUE;
    do {
      let byte = bytes[at] as number;
      for (; byte <= SPACE; byte = bytes[++at] as number) {
        if (byte === LINE_FEED || byte === RETURN || byte === TAB) this.controls++;
        else if (byte !== SPACE) break;
      }
      if (byte === QUOTE && expected <= VALUE) {
        let quote = bytes.indexOf(QUOTE, at + 1);
        let backslash = this.nextBackslash > at ? this.nextBackslash : this.findBackslash(at);
        while (backslash < quote) {
          const end = backslash + (ESCAPE_LENGTHS[bytes[backslash + 1] as number] || this.longEscapeLength(backslash));
          if (end > quote) quote = bytes.indexOf(QUOTE, end);
          backslash = bytes.indexOf(BACKSLASH, end);
          if (backslash < 0) backslash = bytes.length;
        }
        this.nextBackslash = backslash;
        if (quote < 0 || this.careful) this.checkString(at + 1, quote);
        at = quote + 1;
        expected = expected <= KEY_OR_END ? COLON_ONLY : COMMA_OR_END;
      } else if (byte === COMMA && expected === COMMA_OR_END) {
        at++;
        expected = this.closer === CLOSE_OBJECT ? KEY : VALUE;
      } else if (byte === COLON && expected === COLON_ONLY) {
        at++;
        expected = VALUE;
      } else if ((byte === OPEN_OBJECT || byte === OPEN_ARRAY) && (expected === VALUE || expected === VALUE_OR_END)) {
        const end = this.known === undefined ? 0 : shallowEnd(this.known, at);
        if (end > 0) {
          at = end;
          expected = COMMA_OR_END;
        } else {
          at++;
          this.enter(byte + 2);
          expected = byte === OPEN_OBJECT ? KEY_OR_END : VALUE_OR_END;
        }
      } else if (
        byte === this.closer &&
        (expected === COMMA_OR_END || expected === KEY_OR_END || expected === VALUE_OR_END)
      ) {
        at++;
        this.leave();
        expected = COMMA_OR_END;
      } else {
        at = this.wordEnd(at, expected);
        expected = COMMA_OR_END;
      }
    } while (this.depth > base || expected !== COMMA_OR_END);
    this.position = at;
  }

  /** Fails unless only white space is left. */
  finish(): void {
    if (this.peek() !== -1) this.fail(this.position, "the end of the file");
  }

  private enter(closer: number): void {
    if (this.depth === this.closers.length) {
      const larger = new Uint8Array(this.depth * 2);
      larger.set(this.closers);
      this.closers = larger;
    }
    this.closers[this.depth++] = closer;
    this.closer = closer;
    if (this.depth > this.deepest) this.deepest = this.depth;
  }

  private leave(): void {
    this.depth--;
    this.closer = this.depth === 0 ? 0 : (this.closers[this.depth - 1] as number);
  }

  private findBackslash(from: number): number {
    const found = this.bytes.indexOf(BACKSLASH, from);
    return found < 0 ? this.bytes.length : found;
  }

  private longEscapeLength(at: number): number {
    if (/^\\u[\dA-Fa-f]{4}$/.test(this.bytes.toString("latin1", at, at + 6))) return 6;
    throw new JsonSyntaxError("a string holds an unknown escape", at);
  }

  /** `end` is where the string's closing quote is, or negative where there is none. */
  private checkString(start: number, end: number): void {
    const { bytes } = this;
    const last = end < 0 ? bytes.length : end;
    for (let at = start; at < last; at++) {
      if ((bytes[at] as number) >= 0x20) continue;
      throw new JsonSyntaxError(`a string holds ${describeAt(bytes, at)}, which must be escaped`, at);
    }
    if (end < 0) this.fail(last, "the closing quote of a string");
  }

  private wordEnd(at: number, expected: number): number {
    const { bytes } = this;
    if (expected !== VALUE && expected !== VALUE_OR_END) this.failExpecting(at, expected);
    const byte = bytes[at] as number;
    const end = byte === MINUS || isDigit(byte) ? numberEnd(bytes, at) : at;
    if (end > at) return end;
    const word = WORDS.find((candidate) => bytes.toString("latin1", at, at + candidate.length) === candidate);
    if (word === undefined) this.failExpecting(at, expected);
    return at + word.length;
  }

  private failExpecting(at: number, expected: number): never {
    this.fail(at, EXPECTATIONS[expected] ?? `"," or "${String.fromCharCode(this.closer)}"`);
  }

  private fail(at: number, expected: string): never {
    throw new JsonSyntaxError(`expected ${expected}, found ${describeAt(this.bytes, at)}`, at);
  }
}

function shallowPattern(): RegExp {
  let container = "(?!)";
  for (let depth = 0; depth < SHALLOW_DEPTH; depth++)
    container = String.raw`[[{][^"[\]{}]*(?:(?:"[^"]*"|${container})[^"[\]{}]*)*[\]}]`;
  return new RegExp(container, "y");
}

/** Where a {@link SHALLOW} container ends; 0 where there is none. */
function shallowEnd(known: string, at: number): number {
  SHALLOW.lastIndex = at;
  return SHALLOW.test(known) ? SHALLOW.lastIndex : 0;
}

/** RFC 8259, section 6; the start again where there is no whole number. */
function numberEnd(bytes: Buffer, start: number): number {
  const whole = bytes[start] === MINUS ? start + 1 : start;
  let at = digitsEnd(bytes, whole);
  if (at === whole || (bytes[whole] === 0x30 && at > whole + 1)) return start;
  if (bytes[at] === 0x2e) {
    const fraction = at + 1;
    at = digitsEnd(bytes, fraction);
    if (at === fraction) return start;
  }
  if (bytes[at] === 0x65 || bytes[at] === 0x45) {
    const sign = bytes[at + 1];
    const exponent = sign === 0x2b || sign === MINUS ? at + 2 : at + 1;
    at = digitsEnd(bytes, exponent);
    if (at === exponent) return start;
  }
  return at;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

function digitsEnd(bytes: Buffer, from: number): number {
  let at = from;
  while (isDigit(bytes[at] as number)) at++;
  return at;
}

function describeAt(bytes: Buffer, at: number): string {
  if (at >= bytes.length) return "the end of the file";
  const byte = bytes[at] as number;
  if (byte < 0x20 || byte === 0x7f) return `the byte 0x${byte.toString(16).padStart(2, "0")}`;
  const character = bytes.toString("utf8", at, at + 4);
  return `"${String.fromCodePoint(character.codePointAt(0) as number)}"`;
}
