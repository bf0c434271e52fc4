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

/** A string is read byte by byte this far; what is longer is worth the jump. */
const SHORT_STRING = 48;
/** The escapes of one letter: `"`, `\`, `/`, b, f, n, r, t. */
const SIMPLE_ESCAPES = new Set([0x22, 0x5c, 0x2f, 0x62, 0x66, 0x6e, 0x72, 0x74]);
/** The words JSON has, and the three numbers that Python's `json` writes beside it. */
const WORDS = ["true", "false", "null", "NaN", "Infinity", "-Infinity"];

/**
 * Walks JSON (RFC 8259, and the `NaN`, `Infinity`, `-Infinity` that Python writes) over bytes that are known to be UTF-8,
 * validating as it goes, without recursion and without making a string of the input. Throws {@link JsonSyntaxError}.
 */
export class JsonScanner {
  /** The deepest nesting seen. */
  deepest = 0;
  private depth = 0;
  private stack = new Uint8Array(64);
  private nextBackslash = -1;
  /** The same memory as `bytes` in words of four: byte `i` lies in word `(i + skew) >> 2`. */
  private readonly words: Int32Array;
  private readonly skew: number;

  constructor(
    readonly bytes: Buffer,
    public position = 0,
  ) {
    this.skew = bytes.byteOffset & 3;
    this.words = new Int32Array(bytes.buffer, bytes.byteOffset - this.skew, (bytes.length + this.skew) >> 2);
  }

  /** Moves over white space and returns the byte there, or -1 at the end. */
  peek(): number {
    const { bytes } = this;
    let at = this.position;
    let byte = at < bytes.length ? (bytes[at] as number) : -1;
    while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) {
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

  /** Takes a member's key and its colon. Returns where the key begins and ends, quotes included; the value is next. */
  key(): [start: number, end: number] {
    if (this.peek() !== QUOTE) this.fail("a key in double quotes");
    const start = this.position;
    this.skipString();
    const end = this.position;
    if (this.peek() !== COLON) this.fail('":"');
    this.position++;
    this.peek();
    return [start, end];
  }

  /** Takes one value of any kind and depth. */
  skipValue(): void {
    const base = this.depth;
    do {
      if (this.enter()) continue;
      while (this.depth > base) {
        if (!this.next(false)) continue;
        if (this.stack[this.depth - 1] === CLOSE_OBJECT) this.key();
        break;
      }
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

  /** Takes a scalar or an empty container; or opens a container and returns true before its first value. */
  private enter(): boolean {
    const byte = this.peek();
    if (byte === QUOTE) {
      this.skipString();
      return false;
    }
    if (byte !== OPEN_OBJECT && byte !== OPEN_ARRAY) {
      this.skipWord(byte);
      return false;
    }
    this.open();
    if (!this.next(true)) return false;
    if (byte === OPEN_OBJECT) this.key();
    return true;
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

  /** From an opening quote to after the closing one. Control characters and unknown escapes are errors. */
  private skipString(): void {
    const { bytes, skew } = this;
    let at = this.position + 1;
    let jumpAt = at + SHORT_STRING;
    for (;;) {
      if (at >= jumpAt && ((at + skew) & 3) === 0) {
        at = this.jumpPlainText(at);
        jumpAt = at + SHORT_STRING;
      }
      const byte = at < bytes.length ? (bytes[at] as number) : -1;
      if (byte === QUOTE) break;
      if (byte === BACKSLASH) {
        at = this.escapeEnd(at);
      } else if (byte < 0x20) {
        this.position = at;
        if (byte === -1) this.fail('the closing `"` of a string');
        throw new JsonSyntaxError(`a string holds ${describeAt(bytes, at)}, which must be escaped`, at);
      } else {
        at++;
      }
    }
    this.position = at + 1;
  }

  /** From the start of a word: a place that no quote, backslash or control character comes before. */
  private jumpPlainText(at: number): number {
    const { words, skew, bytes } = this;
    if (this.nextBackslash < at) {
      const found = bytes.indexOf(BACKSLASH, at);
      this.nextBackslash = found < 0 ? bytes.length : found;
    }
    const first = (at + skew) >> 2;
    const last = Math.min(words.length, (this.nextBackslash + skew) >> 2) - 3;
    let word = first;
    // A byte below 0x23 (controls, space, `!`, `"`) borrows from its top bit; bytes of 0x80 and more are masked out.
    for (; word < last; word += 4) {
      const a = words[word] as number;
      const b = words[word + 1] as number;
      const c = words[word + 2] as number;
      const d = words[word + 3] as number;
      const low = ((a - 0x23232323) & ~a) | ((b - 0x23232323) & ~b) | ((c - 0x23232323) & ~c) | ((d - 0x23232323) & ~d);
      if ((low & 0x80808080) !== 0) break;
    }
    return (word << 2) - skew;
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
