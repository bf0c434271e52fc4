const GRAPHEMES = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Text that is being written, of any number of lines. The cursor is a UTF-16 offset and never stands inside a grapheme. */
export class EditBuffer {
  #text = "";
  #cursor = 0;

  get text(): string {
    return this.#text;
  }

  get cursor(): number {
    return this.#cursor;
  }

  /** The part of the cursor's line before it. */
  get lineStart(): string {
    return this.#text.slice(this.#startOfLine(), this.#cursor);
  }

  set(text: string, cursor = text.length): void {
    this.#text = text;
    this.#cursor = cursor;
  }

  insert(text: string): void {
    this.replace(this.#cursor, this.#cursor, text);
  }

  /** Puts text in the place of a stretch; the cursor is behind it then. */
  replace(start: number, end: number, text: string): void {
    this.set(this.#text.slice(0, start) + text + this.#text.slice(end), start + text.length);
  }

  backspace(): void {
    this.replace(this.#before(), this.#cursor, "");
  }

  delete(): void {
    const end = this.#after();
    this.replace(this.#cursor, end, "");
  }

  left(): void {
    this.#cursor = this.#before();
  }

  right(): void {
    this.#cursor = this.#after();
  }

  home(): void {
    this.#cursor = this.#startOfLine();
  }

  end(): void {
    this.#cursor = this.#endOfLine();
  }

  wordLeft(): void {
    this.#cursor = this.#startOfWord();
  }

  wordRight(): void {
    const found = /^\W*\w+/.exec(this.#text.slice(this.#cursor));
    this.#cursor = found === null ? this.#text.length : this.#cursor + found[0].length;
  }

  killLine(): void {
    const end = this.#endOfLine();
    this.replace(this.#cursor, end === this.#cursor ? end + 1 : end, "");
  }

  killToStart(): void {
    this.replace(this.#startOfLine(), this.#cursor, "");
  }

  killWord(): void {
    this.replace(this.#startOfWord(), this.#cursor, "");
  }

  /** Moves a line up; false where there is none. */
  up(): boolean {
    const start = this.#startOfLine();
    if (start === 0) return false;
    const column = this.#cursor - start;
    const above = this.#startOfLine(start - 1);
    this.#cursor = this.#settle(Math.min(above + column, start - 1));
    return true;
  }

  /** Moves a line down; false where there is none. */
  down(): boolean {
    const end = this.#endOfLine();
    if (end === this.#text.length) return false;
    const column = this.#cursor - this.#startOfLine();
    const below = this.#text.indexOf("\n", end + 1);
    this.#cursor = this.#settle(Math.min(end + 1 + column, below < 0 ? this.#text.length : below));
    return true;
  }

  #startOfLine(offset = this.#cursor): number {
    return offset === 0 ? 0 : this.#text.lastIndexOf("\n", offset - 1) + 1;
  }

  #endOfLine(): number {
    const end = this.#text.indexOf("\n", this.#cursor);
    return end < 0 ? this.#text.length : end;
  }

  #startOfWord(): number {
    const found = /\w+\W*$|\W+$/.exec(this.#text.slice(0, this.#cursor));
    return found === null ? 0 : this.#cursor - found[0].length;
  }

  #before(): number {
    let last = 0;
    for (const { index } of GRAPHEMES.segment(this.#text.slice(0, this.#cursor))) last = index;
    return last;
  }

  #after(): number {
    const [next] = GRAPHEMES.segment(this.#text.slice(this.#cursor));
    return this.#cursor + (next?.segment.length ?? 0);
  }

  /** The start of the grapheme that an offset falls into. */
  #settle(offset: number): number {
    return GRAPHEMES.segment(this.#text).containing(offset)?.index ?? offset;
  }
}
