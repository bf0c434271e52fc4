import type { Content } from "../output/model.ts";
import { MAX_SHOWN_IMAGES } from "../output/output-keeper.ts";

/** Less than this many bytes of a long text is not worth showing. */
const LEAST_BYTES = 200;

/** Collects text and images as content blocks, with a bound on the bytes of text; notices about the bound are not counted. */
export class BlockWriter {
  private readonly content: Content[] = [];
  private open = "";
  private left: number;
  private images = 0;

  /** `maxBytes` 0 is no bound. */
  constructor(maxBytes: number) {
    this.left = maxBytes === 0 ? Number.POSITIVE_INFINITY : maxBytes;
  }

  fits(text: string): boolean {
    return Buffer.byteLength(text) <= this.left;
  }

  text(text: string): void {
    this.open += text;
    this.left = Math.max(0, this.left - Buffer.byteLength(text));
  }

  notice(text: string): void {
    this.open += text;
  }

  /** As much of the beginning of a text as fits, whole lines if possible. */
  cut(text: string): string {
    return startOf(text, this.left);
  }

  /** Adds a text whole if it fits, else its beginning and its end with a word on what is left out. */
  bounded(text: string): void {
    const total = Buffer.byteLength(text);
    if (total <= this.left) this.text(text);
    else if (this.left < LEAST_BYTES) this.notice(`[${total} bytes of output not shown]\n`);
    else this.shortened(text, total);
  }

  private shortened(text: string, total: number): void {
    const room = Math.floor(this.left / 2);
    const start = startOf(text, room);
    const end = endOf(text, room);
    const shown = Buffer.byteLength(start) + Buffer.byteLength(end);
    this.text(start);
    this.notice(`${start.endsWith("\n") ? "" : "\n"}[${total - shown} of ${total} bytes left out]\n`);
    this.text(end);
  }

  /** Whether one more image may be added. */
  takesImage(): boolean {
    return this.images < MAX_SHOWN_IMAGES;
  }

  /** Adds an image block; `data` is base64. */
  image(data: string, mimeType: string): void {
    this.images++;
    this.closeText();
    this.content.push({ type: "image", data, mimeType });
  }

  finish(): Content[] {
    this.closeText();
    return this.content;
  }

  private closeText(): void {
    if (this.open !== "") this.content.push({ type: "text", text: this.open });
    this.open = "";
  }
}

/** The longest beginning of at most `maxBytes` bytes, without half a character; it ends with a line if one ends in it. */
function startOf(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text.slice(0, maxBytes));
  let end = Math.min(bytes.length, maxBytes);
  while (end > 0 && end < bytes.length && ((bytes[end] as number) & 0xc0) === 0x80) end--;
  const start = bytes.toString("utf8", 0, end);
  const lines = start.lastIndexOf("\n") + 1;
  return lines > 0 ? start.slice(0, lines) : start;
}

/** The longest end of at most `maxBytes` bytes; it starts with a line if one starts in it. */
function endOf(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text.slice(-maxBytes));
  let start = Math.max(0, bytes.length - maxBytes);
  while (start < bytes.length && ((bytes[start] as number) & 0xc0) === 0x80) start++;
  const end = bytes.toString("utf8", start);
  const line = end.indexOf("\n") + 1;
  return line > 0 && line < end.length ? end.slice(line) : end;
}
