/** A piece of output as UTF-8. `id` names a display that can still be replaced. */
interface Part {
  bytes: Uint8Array;
  lines: number;
  id?: string;
}

/** The last part of a long output; what is dropped from its front is given to `onDrop`, in order, and forgotten. */
export class OutputTail {
  private parts: Part[] = [];
  private heldBytes = 0;
  private heldLines = 0;
  private droppedBytes = 0;
  private droppedLines = 0;

  /** Never holds less than the last `keepBytes`, and not much more than twice that. 0 holds everything. */
  constructor(
    private readonly keepBytes: number,
    private readonly onDrop: (parts: Uint8Array[]) => void,
  ) {}

  get totalBytes(): number {
    return this.droppedBytes + this.heldBytes;
  }

  /** Newlines, of what was dropped as well. */
  get newlines(): number {
    return this.droppedLines + this.heldLines;
  }

  /** How much was dropped. */
  get dropped(): number {
    return this.droppedBytes;
  }

  get hasDropped(): boolean {
    return this.droppedBytes > 0;
  }

  /** What is held, in order. */
  get held(): Uint8Array[] {
    return this.parts.map((part) => part.bytes);
  }

  add(text: string, id?: string): void {
    if (text === "" && id === undefined) return;
    this.take({ bytes: Buffer.from(text), lines: countNewlines(text), ...(id === undefined ? {} : { id }) });
  }

  /** Adds what another tail holds, its displays as displays; where it had dropped text, `onGap` is called in its place. */
  append(other: OutputTail, onGap: () => void): void {
    if (other.hasDropped) {
      this.drop(0);
      this.droppedBytes += other.droppedBytes;
      this.droppedLines += other.droppedLines;
      onGap();
    }
    for (const part of other.parts) this.take({ ...part });
  }

  /** Puts another text in the place of the display `id`; false when it is not held, or not any more. */
  replace(id: string, text: string): boolean {
    const found = this.parts.filter((part) => part.id === id);
    for (const part of found) {
      const bytes = Buffer.from(text);
      this.heldBytes += bytes.length - part.bytes.length;
      this.heldLines -= part.lines;
      part.bytes = bytes;
      part.lines = countNewlines(text);
      this.heldLines += part.lines;
    }
    this.bound();
    return found.length > 0;
  }

  clear(): void {
    this.parts = [];
    this.heldBytes = 0;
    this.heldLines = 0;
    this.droppedBytes = 0;
    this.droppedLines = 0;
  }

  private take(part: Part): void {
    this.parts.push(part);
    this.heldBytes += part.bytes.length;
    this.heldLines += part.lines;
    this.bound();
  }

  private bound(): void {
    if (this.keepBytes > 0 && this.heldBytes > 2 * this.keepBytes) this.drop(this.keepBytes);
  }

  private drop(keepBytes: number): void {
    let count = 0;
    let bytes = 0;
    let lines = 0;
    for (const part of this.parts) {
      if (this.heldBytes - bytes - part.bytes.length < keepBytes) break;
      bytes += part.bytes.length;
      lines += part.lines;
      count++;
    }
    if (count === 0) return;
    this.onDrop(this.parts.splice(0, count).map((part) => part.bytes));
    this.heldBytes -= bytes;
    this.heldLines -= lines;
    this.droppedBytes += bytes;
    this.droppedLines += lines;
  }
}

/** How many newlines a text has. */
export function countNewlines(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++;
  return count;
}
