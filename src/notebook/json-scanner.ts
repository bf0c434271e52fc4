/** Where JSON stopped being JSON; `offset` is in bytes. */
export class JsonSyntaxError extends Error {
  constructor(
    message: string,
    readonly offset: number,
  ) {
    super(message);
  }
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const LETTER_U = 0x75;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** The escapes of one letter: `"`, `\`, `/`, b, f, n, r, t. */
const SIMPLE_ESCAPES = new Set([0x22, 0x5c, 0x2f, 0x62, 0x66, 0x6e, 0x72, 0x74]);
/** The words JSON has, and the three numbers that Python's `json` writes beside it. */
const WORDS = ["true", "false", "null", "NaN", "Infinity", "-Infinity"];

/**
 * Walks JSON (RFC 8259, and the `NaN`, `Infinity`, `-Infinity` that Python writes) over bytes that are known to be UTF-8,
 * validating as it goes, without recursion and without making a string of the input. Strings are jumped; that none of them
 * holds a control character is known by `controls` alone, unless the scanner is `careful`. Throws {@link JsonSyntaxError}.
 */
export class JsonScanner {
  /** The deepest nesting seen. */
  deepest = 0;
  /** How many control characters there were between tokens. */
  controls = 0;
  keyStart = 0;
  keyEnd = 0;
  private depth = 0;
  private stack = new Uint8Array(64);
  private nextBackslash = -1;

  constructor(
    readonly bytes: Buffer,
    public position = 0,
    private readonly careful = false,
  ) {}

  /** Moves over white space and returns the byte there, or -1 at the end. */
  peek(): number {
    const { bytes } = this;
    let at = this.position;
    let byte = at < bytes.length ? (bytes[at] as number) : -1;
    while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) {
      if (byte !== 0x20) this.controls++;
      at++;
      byte = at < bytes.length ? (bytes[at] as number) : -1;
    }
    this.position = at;
    return byte;
  }

  /** Takes the opening bracket of a container, whose elements are then asked for with {@link next}. */
  open(): void {
    const bracket = this.peek();
    if (bracket !== OPEN_OBJECT && bracket !== OPEN_ARRAY) this.fail('"{" or "["');
    this.position++;
    if (this.depth === this.stack.length) this.growStack();
    this.stack[this.depth++] = bracket === OPEN_OBJECT ? CLOSE_OBJECT : CLOSE_ARRAY;
    if (this.depth > this.deepest) this.deepest = this.depth;
  }

  /** True when an element follows (after its comma unless it is the `first`); false when the closing bracket was taken. */
  next(first: boolean): boolean {
    const byte = this.peek();
    const close = this.stack[this.depth - 1] as number;
    if (byte === close) {
      this.position++;
      this.depth--;
      return false;
    }
    if (first) return true;
    if (byte !== COMMA) this.fail(`"," or "${String.fromCharCode(close)}"`);
    this.position++;
    return true;
  }

  /** Takes a member's key, which then lies from `keyStart` to `keyEnd` (quotes included), and its colon; the value is next. */
  key(): void {
    const byte = this.peek();
    this.keyStart = this.position;
    if (byte !== QUOTE) this.fail("a key in double quotes");
    this.skipString();
    this.keyEnd = this.position;
    this.colon();
  }

  /** Takes one value of any kind and depth. */
  skipValue(): void {
    const base = this.depth;
    let byte = this.peek();
    do {
      if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
        this.open();
        byte = this.peek();
        if (byte !== this.stack[this.depth - 1]) {
          if (this.stack[this.depth - 1] === CLOSE_OBJECT) byte = this.skipKey(byte);
          continue;
        }
      } else if (byte === QUOTE) {
        this.skipString();
      } else {
        this.skipWord(byte);
      }
      byte = this.skipToNextValue(base);
    } while (this.depth > base);
  }

  /** Fails unless only white space is left. */
  finish(): void {
    if (this.peek() !== -1) this.fail("the end of the file");
  }

  fail(expected: string): never {
    const { bytes, position } = this;
    throw new JsonSyntaxError(`expected ${expected}, found ${describeAt(bytes, position)}`, position);
  }

  /** After a value, or before a closing bracket: closes containers, and returns the first byte of the next value. */
  private skipToNextValue(base: number): number {
    while (this.depth > base) {
      const byte = this.peek();
      const close = this.stack[this.depth - 1] as number;
      this.position++;
      if (byte === COMMA) return close === CLOSE_OBJECT ? this.skipKey(this.peek()) : this.peek();
      if (byte !== close) {
        this.position--;
        this.fail(`"," or "${String.fromCharCode(close)}"`);
      }
      this.depth--;
    }
    return -1;
  }

  /** Takes a key and its colon, and returns the first byte of the value. */
  private skipKey(byte: number): number {
    if (byte !== QUOTE) this.fail("a key in double quotes");
    this.skipString();
    return this.colon();
  }

  private colon(): number {
    if (this.bytes[this.position] !== COLON && this.peek() !== COLON) this.fail('":"');
    this.position++;
    return this.peek();
  }

  private skipWord(byte: number): void {
    if (byte === MINUS || isDigit(byte)) {
      if (this.skipNumber()) return;
    }
    for (const word of WORDS) {
      if (
        byte === word.charCodeAt(0) &&
        this.bytes.toString("latin1", this.position, this.position + word.length) === word
      ) {
        this.position += word.length;
        return;
      }
    }
    this.fail("a value");
  }

  /** RFC 8259, section 6. Moves only if the number is whole. */
  private skipNumber(): boolean {
    const { bytes } = this;
    let at = this.position;
    if (bytes[at] === MINUS) at++;
    const whole = at;
    at = digitsEnd(bytes, at);
    if (at === whole || (bytes[whole] === 0x30 && at > whole + 1)) return false;
    if (bytes[at] === 0x2e) {
      const fraction = at + 1;
      at = digitsEnd(bytes, fraction);
      if (at === fraction) return false;
    }
    if (bytes[at] === 0x65 || bytes[at] === 0x45) {
      const sign = bytes[at + 1];
      const exponent = sign === 0x2b || sign === MINUS ? at + 2 : at + 1;
      at = digitsEnd(bytes, exponent);
      if (at === exponent) return false;
    }
    this.position = at;
    return true;
  }

  /** From an opening quote to after the closing one; an unknown escape is an error. */
  private skipString(): void {
    const { bytes } = this;
    const start = this.position + 1;
    let quote = bytes.indexOf(QUOTE, start);
    if (this.nextBackslash < start) this.nextBackslash = this.findBackslash(start);
    while (this.nextBackslash < quote) {
      const at = this.escapeEnd(this.nextBackslash);
      if (at > quote) quote = bytes.indexOf(QUOTE, at);
      this.nextBackslash = this.findBackslash(at);
    }
    if (this.careful) this.refuseControls(start, quote < 0 ? bytes.length : quote);
    if (quote < 0) {
      this.position = bytes.length;
      this.fail("the closing quote of a string");
    }
    this.position = quote + 1;
  }

  private findBackslash(from: number): number {
    const found = this.bytes.indexOf(BACKSLASH, from);
    return found < 0 ? Number.POSITIVE_INFINITY : found;
  }

  private refuseControls(start: number, end: number): void {
    for (let at = start; at < end; at++) {
      if ((this.bytes[at] as number) >= 0x20) continue;
      throw new JsonSyntaxError(`a string holds ${describeAt(this.bytes, at)}, which must be escaped`, at);
    }
  }

  private escapeEnd(at: number): number {
    const letter = this.bytes[at + 1] as number;
    if (SIMPLE_ESCAPES.has(letter)) return at + 2;
    const isUnicode = letter === LETTER_U && /^[\dA-Fa-f]{4}$/.test(this.bytes.toString("latin1", at + 2, at + 6));
    if (!isUnicode) throw new JsonSyntaxError("a string holds an unknown escape", at);
    return at + 6;
  }

  private growStack(): void {
    const larger = new Uint8Array(this.stack.length * 2);
    larger.set(this.stack);
    this.stack = larger;
  }
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

function digitsEnd(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && isDigit(bytes[at] as number)) at++;
  return at;
}

function describeAt(bytes: Buffer, at: number): string {
  if (at >= bytes.length) return "the end of the file";
  const byte = bytes[at] as number;
  if (byte < 0x20 || byte === 0x7f) return `the byte 0x${byte.toString(16).padStart(2, "0")}`;
  const character = bytes.toString("utf8", at, at + 4);
  return `"${String.fromCodePoint(character.codePointAt(0) as number)}"`;
}
