/** The longest line that is taken; a message beyond it can only be a mistake. */
const MAX_LINE_BYTES = 256 * 1024 * 1024;

/** Cuts a byte stream into lines of UTF-8 text in linear time, however the stream was cut into chunks. */
export class LineSplitter {
  private parts: Uint8Array[] = [];
  private size = 0;

  /** Takes the next chunk and returns the lines that it completed. Throws when a line exceeds 256 MB. */
  push(chunk: Uint8Array): string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      this.keep(chunk.subarray(start, end));
      lines.push(Buffer.concat(this.parts, this.size).toString("utf8"));
      this.parts = [];
      this.size = 0;
      start = end + 1;
    }
    this.keep(chunk.subarray(start));
    return lines;
  }

  private keep(part: Uint8Array): void {
    this.size += part.length;
    if (this.size > MAX_LINE_BYTES) throw new Error(`a message is longer than ${MAX_LINE_BYTES} bytes`);
    if (part.length > 0) this.parts.push(part);
  }
}
